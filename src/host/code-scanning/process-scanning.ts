// The background work of code scanning in a repository: deletions of analyses, and then its uploads in their order. Each run of
// one becomes an analysis, which opens and closes alerts. All of it is done in short transactions, for which no other write waits long.
import { buffer } from 'node:stream/consumers';
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import { finish, type Due, type DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { MAX_EVENTS, recordTransitions } from './alert-events.ts';
import type { OpenSarif } from './sarif/sarif-client.ts';
import { PROCESS_SCANNING, RELIST_ALERTS, scheduleScanning } from './schedule-scanning.ts';
import { insertAnalysis, insertResults, startOver, upsertRules } from './store-analyses.ts';
import {
  beginApplying,
  closeAlerts,
  endApplying,
  findApplying,
  openAlerts,
  updateApplied,
} from './store-applying.ts';
import { findDeleting, beginDeleting, deleteSome, findPrevious } from './store-deleting.ts';
import { findLastAlert, updateListed } from './store-organization-alerts.ts';
import { endUpload, findPendingUpload, lockScanning } from './store-uploads.ts';
import { documentKey, uploadKey, type SarifUpload, type Analysis } from './analysis.ts';

/** An upload that fails for reasons of the server so often is given up, so that those after it are processed. */
const MAX_ATTEMPTS = 8;

export function scanningHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [PROCESS_SCANNING]: (due, signal) => processUploads(kernel, due, signal),
    [RELIST_ALERTS]: ({ payload }, signal) => relistAlerts(kernel, Number(payload), signal),
  };
}

async function processUploads(kernel: Kernel, due: Due, signal: AbortSignal): Promise<void> {
  const { db } = kernel;
  const number = Number(due.payload);
  let { attempts } = due;
  for (;;) {
    signal.throwIfAborted();
    await finishDeletions(kernel, number, signal);
    const upload = await findPendingUpload(db, number);
    if (upload === undefined) {
      // Uploads and deletions schedule the work under the same lock, so that nothing is left when it ends.
      const isEnd = await db.transaction().execute(async (tx) => {
        await lockScanning(tx, number);
        const left = (await findPendingUpload(tx, number)) ?? (await findDeleting(tx, number));
        if (left !== undefined) return false;
        await finish(tx, due);
        return true;
      });
      if (isEnd) return;
    } else if (attempts > MAX_ATTEMPTS) {
      const problem = 'The server could not process the document. Upload it again later.';
      await giveUp(kernel, upload, problem, signal);
      attempts = 0;
    } else {
      await processUpload(kernel, upload, signal);
      attempts = 0;
    }
  }
}

async function processUpload(kernel: Kernel, upload: SarifUpload, signal: AbortSignal): Promise<void> {
  const { db, blobs, services, clock } = kernel;
  await applyAnalysis(kernel, upload, signal); // which a crash may have interrupted
  const blob = await blobs.get(uploadKey(upload.id));
  if (blob === undefined) {
    await endUpload(db, upload, ['The document is lost. Upload it again.'], clock.now());
    return;
  }
  const gzip = await buffer(blob.stream());
  const { checkoutUri } = upload;
  const outcome = await services.sarif.read(
    { gzip, ...(checkoutUri !== null && { checkoutUri }) },
    (sarif) => writeRuns(kernel, upload, sarif, signal),
    signal,
  );
  if ('problems' in outcome) {
    await startOver(db, upload);
    await endUpload(db, upload, outcome.problems, clock.now());
  }
  await blobs.delete(uploadKey(upload.id));
}

async function writeRuns(
  kernel: Kernel,
  upload: SarifUpload,
  sarif: OpenSarif,
  signal: AbortSignal,
): Promise<void> {
  const { db, blobs, clock } = kernel;
  const ready = await startOver(db, upload);
  for (const [index, run] of sarif.runs.entries()) {
    if (ready.has(index)) continue;
    const written = await insertAnalysis(db, upload, run, index, clock.now());
    for await (const rules of sarif.rules(index)) {
      signal.throwIfAborted();
      await upsertRules(db, upload.repositoryNumber, run.toolName, rules);
    }
    let start = 0;
    for await (const results of sarif.results(index)) {
      signal.throwIfAborted();
      await insertResults(db, written, results, start);
      start += results.length;
      passCheckpoint('wrote results of an analysis');
    }
    await blobs.put(documentKey(upload.id, index), await sarif.document(index));
    await beginApplying(db, written.number, MAX_EVENTS);
    await applyAnalysis(kernel, upload, signal);
  }
  await endUpload(db, upload, [], clock.now());
}

/** Alerts or results of one transaction. */
const AT_ONCE = 100;

/**
 * In short transactions: other writes wait for none of them, and a crash loses none. Continues where a crash has left
 * it; does nothing where no analysis of the upload is being applied.
 */
async function applyAnalysis(kernel: Kernel, upload: SarifUpload, signal: AbortSignal): Promise<void> {
  const { db, clock } = kernel;
  if ((await findApplying(db, upload)) === undefined) return;
  for (let isLeft = true; isLeft;) {
    signal.throwIfAborted();
    isLeft = await db.transaction().execute((tx) => applySome(tx, upload, clock.now()));
    passCheckpoint('applied some of an analysis');
  }
}

/** Where it stands is read under the lock: another process may have gone on with it. False at the end. */
async function applySome(tx: Db, upload: SarifUpload, now: number): Promise<boolean> {
  await lockScanning(tx, upload.repositoryNumber);
  const repository = await findRepositoryByNumber(tx, upload.repositoryNumber);
  const analysis = await findApplying(tx, upload);
  if (repository === undefined || analysis === undefined) return false;
  const { applied, resultsCount, eventsLeft } = analysis;
  const transitions =
    applied < resultsCount
      ? await openAlerts(tx, analysis, AT_ONCE)
      : await closeAlerts(tx, analysis, AT_ONCE);
  if (transitions === undefined) {
    await endApplying(tx, analysis);
    return false;
  }
  const on = { db: tx, actor: { now } };
  const recorded = await recordTransitions(on, repository, upload, transitions, eventsLeft);
  const next = { applied: Math.min(applied + AT_ONCE, resultsCount), eventsLeft: eventsLeft - recorded };
  await updateApplied(tx, { ...analysis, ...next });
  return true;
}

/** Ends an upload that cannot be processed. What an analysis has done so far is undone first. */
async function giveUp(
  kernel: Kernel,
  upload: SarifUpload,
  problem: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = kernel;
  const { repositoryNumber } = upload;
  for (let isEnd = false; !isEnd;) {
    await finishDeletions(kernel, repositoryNumber, signal);
    isEnd = await db.transaction().execute(async (tx) => {
      await lockScanning(tx, repositoryNumber);
      if ((await findDeleting(tx, repositoryNumber)) !== undefined) return false;
      const analysis = await findApplying(tx, upload);
      if (analysis === undefined) return await endUpload(tx, upload, [problem], clock.now());
      await beginDeletion(tx, analysis, clock.now());
      return false;
    });
  }
}

/**
 * By the new owner or default branch of the repository, in short transactions. Alerts that are created meanwhile are
 * listed as they should be: they wait for the lock, and see the change.
 */
async function relistAlerts(
  { db }: Pick<Kernel, 'db'>,
  repositoryNumber: number,
  signal: AbortSignal,
): Promise<void> {
  // Those that are just being created have their numbers before the lock is had.
  const last = await db.transaction().execute(async (tx) => {
    await lockScanning(tx, repositoryNumber);
    return await findLastAlert(tx, repositoryNumber);
  });
  for (let start = 1; start <= last; start += AT_ONCE) {
    signal.throwIfAborted();
    await db.transaction().execute(async (tx) => {
      await lockScanning(tx, repositoryNumber);
      await updateListed(tx, repositoryNumber, { start, end: start + AT_ONCE });
    });
  }
}

/** Who begins a deletion also finishes it, unless killed: then background work goes on. */
const RESCUE_MS = 10_000;

/** Does what is left of deletions in the repository, also of those that other processes have begun. */
export async function finishDeletions(
  { db, clock }: Pick<Kernel, 'db' | 'clock'>,
  repositoryNumber: number,
  signal?: AbortSignal,
): Promise<void> {
  while ((await findDeleting(db, repositoryNumber)) !== undefined) {
    signal?.throwIfAborted();
    await db.transaction().execute(async (tx) => {
      await lockScanning(tx, repositoryNumber);
      const deleting = await findDeleting(tx, repositoryNumber);
      if (deleting !== undefined) await deleteSome(tx, deleting, AT_ONCE, clock.now());
    });
    passCheckpoint('removed some of an analysis');
  }
}

/**
 * In the transaction of the change, which has locked the scanning of the repository; `finishDeletions` does the rest.
 * Returns the number of the analysis before it.
 */
export async function beginDeletion(
  tx: Db,
  analysis: Pick<Analysis, 'number' | 'setNumber' | 'repositoryNumber'>,
  now: number,
): Promise<number | undefined> {
  const previous = await findPrevious(tx, analysis);
  await beginDeleting(tx, analysis, previous);
  await scheduleScanning(tx, analysis.repositoryNumber, now, now + RESCUE_MS);
  return previous;
}
