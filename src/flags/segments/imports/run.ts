// Runs imports: the file is checked as a whole, then taken in piece by piece, each in a transaction with how far it came.
import { buffer } from 'node:stream/consumers';
import { systemActor } from '../../../kernel/change/actor.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import { finish, type Due, type DueHandler } from '../../../kernel/due-store.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { changeSegment } from '../change.ts';
import { findSegmentPlace } from '../find-place.ts';
import { findStanding, saveMembership } from '../store-members.ts';
import { MOST_LINE, readHeading, readPiece } from './file.ts';
import { planPiece } from './plan.ts';
import { IMPORT_ACTIONS, isSettled, type SegmentImport } from './segment-import.ts';
import {
  addToCounts,
  endFile,
  findImport,
  holdById,
  IMPORT_FILE_WORK,
  IMPORT_WORK,
  importFile,
  removeUnmarked,
  saveImport,
  scheduleFileEnd,
  scheduleImport,
  setImporting,
} from './store.ts';

/** Others' writes wait for no longer than one piece takes. */
const PIECE_BYTES = 16 * MOST_LINE;
const PIECE_KEYS = 5000;
/** How long an import waits for somebody to let it through. */
const PATIENCE_DAYS = 30;
const PATIENCE_MS = PATIENCE_DAYS * 24 * 60 * 60 * 1000;

export function importHandlers(kernel: Kernel): Record<string, DueHandler> {
  return {
    [IMPORT_WORK]: async (due, signal) => {
      const found = await findImport(kernel.db, due.payload);
      // It went with its segment.
      if (found === undefined) return await endFile(kernel.db, due.payload, kernel.clock.now());
      if (isSettled(found) || found.status === 'pending_approval') return;
      try {
        await takeStep(kernel, due, found, signal);
      } catch (error) {
        if (!(error instanceof MissingFile)) throw error;
        await take(kernel, due, found, (on, latest) => settle(kernel, on, latest, error.message));
      }
    },
    [IMPORT_FILE_WORK]: (due) => dropFile(kernel, due),
  };
}

async function takeStep(kernel: Kernel, due: Due, found: SegmentImport, signal: AbortSignal): Promise<void> {
  if (found.status === 'preparing') return await checkFile(kernel, due, found, signal);
  if (found.takenBytes < found.size) return await putPiece(kernel, due, found);
  await take(kernel, due, found, (on, latest) =>
    latest.mode === 'replace' ? removePiece(kernel, on, latest) : settle(kernel, on, latest),
  );
}

type Doing = (on: ChangeTransaction, latest: SegmentImport) => Promise<void>;

/** The work is settled, and the next planned, in the transaction of what is done: both happen or neither, and never twice. */
async function take(
  { changes, clock }: Kernel,
  due: Due,
  { id, segmentId }: SegmentImport,
  run: Doing,
): Promise<void> {
  await changes.run(systemActor({ now: clock.now() }), async (on) => {
    const { db: tx } = on;
    const isThere = await holdById(tx, segmentId);
    if (!(await finish(tx, due))) throw new Error('The work is no longer ours.');
    const latest = isThere ? await findImport(tx, id) : undefined;
    if (latest !== undefined) await run(on, latest);
    else await scheduleFileEnd(tx, id, clock.now(), 0);
  });
}

async function checkFile(kernel: Kernel, due: Due, found: SegmentImport, signal: AbortSignal): Promise<void> {
  const checked = await check(kernel, found, signal);
  await take(kernel, due, found, async (on, latest) => {
    if ('problem' in checked) return await settle(kernel, on, latest, checked.problem);
    const { db: tx, actor } = on;
    const { isWaiting, id } = latest;
    await saveImport(tx, { ...latest, ...checked, status: isWaiting ? 'pending_approval' : 'in_progress' });
    if (!isWaiting) await scheduleImport(tx, id, actor.now);
  });
}

type Checked = Pick<SegmentImport, 'takenBytes' | 'keyCount' | 'isTyped'> | { problem: string };

/** Nothing is taken in of a file that has one bad line. */
async function check(kernel: Kernel, found: SegmentImport, signal: AbortSignal): Promise<Checked> {
  const head = readHeading(await readBytes(kernel, found, 0));
  const { isTyped } = head;
  let { bytes: at, lines } = head;
  let keyCount = 0;
  while (at < found.size) {
    signal.throwIfAborted();
    const piece = await readNext(kernel, { ...found, isTyped, takenBytes: at });
    if (piece.problem !== undefined) return { problem: `Line ${lines + piece.lines + 1} ${piece.problem}` };
    keyCount += piece.records.length;
    lines += piece.lines;
    at += piece.bytes;
  }
  if (keyCount === 0) return { problem: 'The file has no keys' };
  return { takenBytes: head.bytes, keyCount, isTyped };
}

async function putPiece(kernel: Kernel, due: Due, found: SegmentImport): Promise<void> {
  const { records, bytes } = await readNext(kernel, found);
  await take(kernel, due, found, async ({ db: tx, actor }, latest) => {
    const { id, segmentId, mode, number } = latest;
    const keys = [...new Set(records.map(({ key }) => key))];
    const plan = planPiece(await findStanding(tx, segmentId, keys), records, mode);
    await saveMembership(tx, segmentId, { ...plan, drop: [] }, number);
    await addToCounts(tx, segmentId, plan);
    await saveImport(tx, {
      ...latest,
      takenBytes: latest.takenBytes + bytes,
      processedCount: latest.processedCount + records.length,
      changedCount: latest.changedCount + plan.changed,
    });
    await scheduleImport(tx, id, actor.now);
  });
}

async function removePiece(kernel: Kernel, on: ChangeTransaction, latest: SegmentImport): Promise<void> {
  const { db: tx, actor } = on;
  const { included, excluded, next } = await removeUnmarked(tx, latest);
  await addToCounts(tx, latest.segmentId, { included: -included, excluded: -excluded });
  const after = { ...latest, removedCount: latest.removedCount + included + excluded };
  if (next === undefined) return await settle(kernel, on, after);
  await saveImport(tx, { ...after, removedTo: next });
  await scheduleImport(tx, latest.id, actor.now);
}

/** It is over: complete, or stopped where there is something to say. */
async function settle(
  kernel: Kernel,
  on: ChangeTransaction,
  latest: SegmentImport,
  message?: string,
): Promise<void> {
  const { db: tx } = on;
  const { now } = on.actor;
  const { id, segmentId, isWaiting, changedCount, removedCount, doer, comment } = latest;
  await saveImport(tx, {
    ...latest,
    status: message === undefined ? 'complete' : 'stopped',
    ...(message !== undefined && { message }),
  });
  // While one waits, another may be in progress.
  if (!isWaiting) await setImporting(tx, segmentId, null);
  await scheduleFileEnd(tx, id, now, 0);
  const place = await findSegmentPlace(tx, segmentId);
  if (place === undefined || changedCount + removedCount === 0) return;
  const caller = await kernel.identity.callerOf(tx, doer, now);
  await changeSegment(on.as(systemActor({ now, ...(caller && { caller }) })), place, {
    isApproved: true,
    edit: (segment) => ({ segment, steps: [], actions: IMPORT_ACTIONS, isMoved: true }),
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
  return readPiece(bytes, { isTyped, isEnd, most: PIECE_KEYS });
}

/** Ends the import: it would be no better later. */
class MissingFile extends Error {}

async function readBytes({ blobs }: Kernel, { id, size }: SegmentImport, start: number): Promise<Buffer> {
  const end = Math.min(start + PIECE_BYTES, size) - 1;
  const blob = await blobs.get(importFile(id), { start, end });
  if (blob === undefined) throw new MissingFile('The file is no longer there');
  return await buffer(blob.stream());
}

/** The file goes when nobody needs it any more. */
async function dropFile(kernel: Kernel, due: Due): Promise<void> {
  const { db, blobs, clock } = kernel;
  const id = due.payload;
  const now = clock.now();
  const found = await findImport(db, id);
  if (found === undefined || isSettled(found)) return await blobs.delete(importFile(id));
  await take(kernel, due, found, async (on, latest) => {
    const isForgotten = latest.isWaiting && latest.createdAt <= now - PATIENCE_MS;
    if (isForgotten)
      await settle(kernel, on, latest, `Nobody has let it through within ${PATIENCE_DAYS} days`);
    else await scheduleFileEnd(on.db, id, now);
  });
}
