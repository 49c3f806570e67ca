// Applies a written analysis to alerts in short transactions: other writes wait for none of them, and a crash loses none.
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { recordTransitions } from './alert-events.ts';
import { beginDeletion, finishDeletions } from './remove-analysis.ts';
import { closeAlerts, endApplying, findApplying, openAlerts, updateApplied } from './store-applying.ts';
import { findDeleting } from './store-deleting.ts';
import { endUpload, lockScanning } from './store-uploads.ts';
import type { SarifUpload } from './upload.ts';

/** Alerts of one transaction. */
const AT_ONCE = 100;

/** Continues where a crash has left it; does nothing where no analysis of the upload is being applied. */
export async function applyAnalysis(kernel: Kernel, upload: SarifUpload, signal: AbortSignal): Promise<void> {
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
  const told = await recordTransitions(on, repository, upload, transitions, eventsLeft);
  const next = { applied: Math.min(applied + AT_ONCE, resultsCount), eventsLeft: eventsLeft - told };
  await updateApplied(tx, { ...analysis, ...next });
  return true;
}

/** Ends an upload that cannot be processed. What an analysis has done so far is undone first. */
export async function giveUp(
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
