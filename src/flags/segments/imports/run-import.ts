// Runs imports: checks the whole file, then applies it in batches, each in a transaction with the progress.
import { buffer } from 'node:stream/consumers';
import { systemActor } from '../../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import { finish, type Due, type DueHandler } from '../../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { changeSegment, findSegmentRef } from '../change-segment.ts';
import { findTargetTypes, updateMembership } from '../store-members.ts';
import { planBatch } from '../membership.ts';
import { MAX_LINE_BYTES, readHeading, readBatch } from './csv-file.ts';
import {
  IMPORT_ACTIONS,
  isImportFinished,
  type SegmentImport,
  addToMemberCounts,
  endFile,
  findImport,
  lockSegmentById,
  IMPORT_FILE_WORK,
  IMPORT_WORK,
  importFile,
  removeUnmarked,
  updateImport,
  scheduleFileEnd,
  scheduleImport,
  setImporting,
} from './store.ts';

/** Bounds how long other writes wait for a batch. */
const BATCH_BYTES = 16 * MAX_LINE_BYTES;
const BATCH_KEYS = 5000;
/** How long an import waits for approval. */
const APPROVAL_TIMEOUT_DAYS = 30;
const APPROVAL_TIMEOUT_MS = APPROVAL_TIMEOUT_DAYS * 24 * 60 * 60 * 1000;

export function importHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [IMPORT_WORK]: async (due, signal) => {
      const found = await findImport(kernel.db, due.payload);
      // It was deleted with its segment.
      if (found === undefined) return await endFile(kernel.db, due.payload, kernel.clock.now());
      if (isImportFinished(found) || found.status === 'pending_approval') return;
      try {
        await runStep(kernel, due, found, signal);
      } catch (error) {
        if (!(error instanceof MissingFileError)) throw error;
        await inStepTransaction(kernel, due, found, (tx, latest) =>
          finishImport(kernel, tx, latest, error.message),
        );
      }
    },
    [IMPORT_FILE_WORK]: (due) => deleteUnneededFile(kernel, due),
  };
}

async function runStep(kernel: Kernel, due: Due, found: SegmentImport, signal: AbortSignal): Promise<void> {
  if (found.status === 'preparing') return await checkFile(kernel, due, found, signal);
  if (found.takenBytes < found.size) return await writeBatch(kernel, due, found);
  await inStepTransaction(kernel, due, found, (tx, latest) =>
    latest.mode === 'replace' ? removeBatch(kernel, tx, latest) : finishImport(kernel, tx, latest),
  );
}

type ImportStep = (tx: ChangeTransaction, latest: SegmentImport) => Promise<void>;

/**
 * Runs a step, completes its due work and schedules the next in one transaction, so that each step happens exactly
 * once.
 */
async function inStepTransaction(
  { changes, clock }: Kernel,
  due: Due,
  { id, segmentId }: SegmentImport,
  run: ImportStep,
): Promise<void> {
  await changes.run(systemActor({ now: clock.now() }), async (tx) => {
    const { db } = tx;
    const isThere = await lockSegmentById(db, segmentId);
    if (!(await finish(db, due))) throw new Error('The work is no longer ours.');
    const latest = isThere ? await findImport(db, id) : undefined;
    if (latest !== undefined) await run(tx, latest);
    else await scheduleFileEnd(db, id, clock.now(), 0);
  });
}

async function checkFile(kernel: Kernel, due: Due, found: SegmentImport, signal: AbortSignal): Promise<void> {
  const checked = await check(kernel, found, signal);
  await inStepTransaction(kernel, due, found, async (tx, latest) => {
    if ('problem' in checked) return await finishImport(kernel, tx, latest, checked.problem);
    const { db, actor } = tx;
    const { isWaiting, id } = latest;
    await updateImport(db, { ...latest, ...checked, status: isWaiting ? 'pending_approval' : 'in_progress' });
    if (!isWaiting) await scheduleImport(db, id, actor.now);
  });
}

type Checked = Pick<SegmentImport, 'takenBytes' | 'keyCount' | 'isTyped'> | { problem: string };

/** A file with an invalid line is not imported at all. */
async function check(kernel: Kernel, found: SegmentImport, signal: AbortSignal): Promise<Checked> {
  const head = readHeading(await readBytes(kernel, found, 0));
  const { isTyped } = head;
  let { bytes: at, lines } = head;
  let keyCount = 0;
  while (at < found.size) {
    signal.throwIfAborted();
    const batch = await readNext(kernel, { ...found, isTyped, takenBytes: at });
    if (batch.problem !== undefined) return { problem: `Line ${lines + batch.lines + 1} ${batch.problem}` };
    keyCount += batch.records.length;
    lines += batch.lines;
    at += batch.bytes;
  }
  if (keyCount === 0) return { problem: 'The file has no keys' };
  return { takenBytes: head.bytes, keyCount, isTyped };
}

async function writeBatch(kernel: Kernel, due: Due, found: SegmentImport): Promise<void> {
  const { records, bytes } = await readNext(kernel, found);
  await inStepTransaction(kernel, due, found, async ({ db: tx, actor }, latest) => {
    const { id, segmentId, mode, number } = latest;
    const keys = [...new Set(records.map(({ key }) => key))];
    const plan = planBatch(await findTargetTypes(tx, segmentId, keys), records, mode);
    await updateMembership(tx, segmentId, { ...plan, remove: [] }, number);
    await addToMemberCounts(tx, segmentId, plan);
    await updateImport(tx, {
      ...latest,
      takenBytes: latest.takenBytes + bytes,
      processedCount: latest.processedCount + records.length,
      changedCount: latest.changedCount + plan.changed,
    });
    await scheduleImport(tx, id, actor.now);
  });
}

async function removeBatch(kernel: Kernel, tx: ChangeTransaction, latest: SegmentImport): Promise<void> {
  const { db, actor } = tx;
  const { included, excluded, next } = await removeUnmarked(db, latest);
  await addToMemberCounts(db, latest.segmentId, { included: -included, excluded: -excluded });
  const after = { ...latest, removedCount: latest.removedCount + included + excluded };
  if (next === undefined) return await finishImport(kernel, tx, after);
  await updateImport(db, { ...after, removedTo: next });
  await scheduleImport(db, latest.id, actor.now);
}

/** Completes the import, or stops it if there is an error message. */
async function finishImport(
  kernel: Kernel,
  tx: ChangeTransaction,
  latest: SegmentImport,
  message?: string,
): Promise<void> {
  const { db } = tx;
  const { now } = tx.actor;
  const { id, segmentId, isWaiting, changedCount, removedCount, doer, comment } = latest;
  await updateImport(db, {
    ...latest,
    status: message === undefined ? 'complete' : 'stopped',
    ...(message !== undefined && { message }),
  });
  // While one waits, another may be in progress.
  if (!isWaiting) await setImporting(db, segmentId, null);
  await scheduleFileEnd(db, id, now, 0);
  const place = await findSegmentRef(db, segmentId);
  if (place === undefined || changedCount + removedCount === 0) return;
  const caller = await kernel.identity.callerOf(db, doer, now);
  await changeSegment(tx.as(systemActor({ now, ...(caller && { caller }) })), place, {
    isApproved: true,
    edit: (segment) => ({ segment, steps: [], actions: IMPORT_ACTIONS, membersChanged: true }),
    verb: 'imported a file into the segment',
    description: describe(latest),
    comment,
  });
}

function describe({ mode, filename, keyCount, changedCount, removedCount }: SegmentImport): string {
  return [
    `- Imported ${keyCount} keys${filename === undefined ? '' : ` of \`${filename}\``} by ${mode}`,
    `- Included or excluded ${changedCount} contexts anew, and removed ${removedCount}`,
  ].join('\n');
}

async function readNext(kernel: Kernel, reading: SegmentImport) {
  const { takenBytes, size, isTyped } = reading;
  const bytes = await readBytes(kernel, reading, takenBytes);
  const isEnd = takenBytes + bytes.length === size;
  return readBatch(bytes, { isTyped, isEnd, maxLines: BATCH_KEYS });
}

/** Stops the import, because a retry would fail, too. */
class MissingFileError extends Error {}

async function readBytes({ blobs }: Kernel, { id, size }: SegmentImport, start: number): Promise<Buffer> {
  const end = Math.min(start + BATCH_BYTES, size) - 1;
  const blob = await blobs.get(importFile(id), { start, end });
  if (blob === undefined) throw new MissingFileError('The file is no longer there');
  return await buffer(blob.stream());
}

/** Deletes the file when the import is over, and stops imports that waited too long. */
async function deleteUnneededFile(kernel: Kernel, due: Due): Promise<void> {
  const { db, blobs, clock } = kernel;
  const id = due.payload;
  const now = clock.now();
  const found = await findImport(db, id);
  if (found === undefined || isImportFinished(found)) return await blobs.delete(importFile(id));
  await inStepTransaction(kernel, due, found, async (tx, latest) => {
    const isTimedOut = latest.isWaiting && latest.createdAt <= now - APPROVAL_TIMEOUT_MS;
    if (isTimedOut)
      await finishImport(
        kernel,
        tx,
        latest,
        `Nobody has let it through within ${APPROVAL_TIMEOUT_DAYS} days`,
      );
    else await scheduleFileEnd(tx.db, id, now);
  });
}
