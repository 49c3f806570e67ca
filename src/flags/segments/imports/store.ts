// Imports into big segments, files of keys with the progress of each: in the database, with their due work and the names of their files.
import { schedule, type DueWork } from '../../../kernel/jobs/due-store.ts';
import type { Initiator } from '../../../kernel/identity/identity.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { couldBeId } from '../../fields.ts';
import type { ImportMode } from '../segment.ts';
import type { SegmentImportRow } from '../tables.ts';

/** Ends with `complete`, or with `stopped` on an error. */
export const IMPORT_STATUSES = [
  'preparing',
  'pending_approval',
  'in_progress',
  'complete',
  'stopped',
] as const;

export interface SegmentImport {
  id: string;
  segmentId: string;
  /** Counts the imports of a segment; members are marked with it. */
  number: number;
  mode: ImportMode;
  status: (typeof IMPORT_STATUSES)[number];
  /** Whether the import needs an approval after the file is checked. */
  isWaiting: boolean;
  filename?: string;
  /** Of the file, in bytes. */
  size: number;
  /** Whether a heading gives the second column its meaning. */
  isTyped: boolean;
  takenBytes: number;
  /** Keys in the file; known after the check. */
  keyCount: number;
  processedCount: number;
  /** Members that were added, or moved between included and excluded. */
  changedCount: number;
  removedCount: number;
  /** The key up to which members that are not in the file have been removed. */
  removedTo?: string;
  /** Why it was stopped. */
  message?: string;
  /** The comment of the caller who approved it. */
  comment?: string;
  /** The member or token that the change is attributed to. */
  doer: Initiator;
  createdAt: number;
}

/** The permissions that an import requires: a file may both include and exclude contexts. */
export const IMPORT_ACTIONS = ['updateIncluded', 'updateExcluded'] as const;

/** Complete or stopped; neither changes again. */
export function isImportFinished({ status }: SegmentImport): boolean {
  return status === 'complete' || status === 'stopped';
}

export const IMPORT_WORK = 'flags.segment-import';
export const IMPORT_FILE_WORK = 'flags.segment-import-file';

const DAY = 24 * 60 * 60 * 1000;

export function importFile(id: string): string {
  return `segment-imports/${id}`;
}

/** Schedules the next batch. */
export async function scheduleImport(tx: Db, id: string, now: number): Promise<void> {
  await schedule(tx, { id: `${IMPORT_WORK}:${id}`, kind: IMPORT_WORK, payload: id, dueAt: now }, now, 'move');
}

/** Scheduled before the file is received, so that no file is ever left behind. */
export async function scheduleFileEnd(db: Db, id: string, now: number, afterMs = DAY): Promise<void> {
  const work: DueWork = {
    id: `${IMPORT_FILE_WORK}:${id}`,
    kind: IMPORT_FILE_WORK,
    payload: id,
    dueAt: now + afterMs,
  };
  await schedule(db, work, now, 'move');
}

/** Deletes the file soon, because the import does not need it. */
export async function endFile(db: Db, id: string, now: number): Promise<void> {
  await db.transaction().execute((tx) => scheduleFileEnd(tx, id, now, 0));
}

/** Runs in the transaction that has locked the segment. */
export async function nextNumber(tx: Db, segmentId: string): Promise<number> {
  const last = await tx
    .selectFrom('segment_imports')
    .select('number')
    .where('segment_id', '=', segmentId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (last?.number ?? 0) + 1;
}

/** Imports that wait for approval. */
export async function countWaiting(db: Db, segmentId: string): Promise<number> {
  const { count } = await db
    .selectFrom('segment_imports')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('segment_id', '=', segmentId)
    .where('is_waiting', '=', 1)
    .where('status', '!=', 'stopped')
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertImport(tx: Db, made: SegmentImport): Promise<void> {
  await tx.insertInto('segment_imports').values(rowOf(made)).execute();
}

export async function findImport(db: Db, id: string): Promise<SegmentImport | undefined> {
  if (!couldBeId(id)) return undefined;
  const row = await db.selectFrom('segment_imports').selectAll().where('id', '=', id).executeTakeFirst();
  return row && importOf(row);
}

/** Runs in the transaction that has locked the segment. */
export async function updateImport(tx: Db, after: SegmentImport): Promise<void> {
  await tx.updateTable('segment_imports').set(rowOf(after)).where('id', '=', after.id).execute();
}

/** Locks the segment until the transaction ends. False if it was deleted. */
export async function lockSegmentById(tx: Db, segmentId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('segments')
    .select('id')
    .where('id', '=', segmentId)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export async function setImporting(tx: Db, segmentId: string, mode: ImportMode | null): Promise<void> {
  await tx.updateTable('segments').set({ importing: mode }).where('id', '=', segmentId).execute();
}

/** Adds to the segment's member counts. The version rises only at the end of the import. */
export async function addToMemberCounts(
  tx: Db,
  segmentId: string,
  { included, excluded }: { included: number; excluded: number },
): Promise<void> {
  await tx
    .updateTable('segments')
    .set((eb) => ({
      included_count: eb('included_count', '+', included),
      excluded_count: eb('excluded_count', '+', excluded),
    }))
    .where('id', '=', segmentId)
    .execute();
}

/** How many members are examined at once. */
const BATCH_SIZE = 5000;

/**
 * Removes the unmarked members of the next batch after `removedTo`. Returns the counts, and the key to continue after,
 * if any.
 */
export async function removeUnmarked(
  tx: Db,
  { segmentId, number, removedTo = '' }: SegmentImport,
): Promise<{ included: number; excluded: number; next: string | undefined }> {
  const last = await tx
    .selectFrom('segment_members')
    .select('context_key')
    .where('segment_id', '=', segmentId)
    .where('context_key', '>', removedTo)
    .orderBy('context_key')
    .offset(BATCH_SIZE - 1)
    .limit(1)
    .executeTakeFirst();
  const gone = await tx
    .deleteFrom('segment_members')
    .where('segment_id', '=', segmentId)
    .where('context_key', '>', removedTo)
    .$if(last !== undefined, (query) => query.where('context_key', '<=', last!.context_key))
    .where('mark', '!=', number)
    .returning('is_included')
    .execute();
  const included = gone.filter((row) => row.is_included === 1).length;
  return { included, excluded: gone.length - included, next: last?.context_key };
}

function rowOf(made: SegmentImport): SegmentImportRow {
  return {
    id: made.id,
    segment_id: made.segmentId,
    number: made.number,
    mode: made.mode,
    status: made.status,
    is_waiting: Number(made.isWaiting),
    filename: made.filename ?? null,
    size: made.size,
    is_typed: Number(made.isTyped),
    taken_bytes: made.takenBytes,
    key_count: made.keyCount,
    processed_count: made.processedCount,
    changed_count: made.changedCount,
    removed_count: made.removedCount,
    removed_to: made.removedTo ?? null,
    message: made.message ?? null,
    comment: made.comment ?? null,
    doer: JSON.stringify(made.doer),
    created_at: made.createdAt,
  };
}

function importOf(row: SegmentImportRow): SegmentImport {
  return {
    id: row.id,
    segmentId: row.segment_id,
    number: row.number,
    mode: row.mode as ImportMode,
    status: row.status as SegmentImport['status'],
    isWaiting: row.is_waiting === 1,
    ...(row.filename !== null && { filename: row.filename }),
    size: row.size,
    isTyped: row.is_typed === 1,
    takenBytes: row.taken_bytes,
    keyCount: row.key_count,
    processedCount: row.processed_count,
    changedCount: row.changed_count,
    removedCount: row.removed_count,
    ...(row.removed_to !== null && { removedTo: row.removed_to }),
    ...(row.message !== null && { message: row.message }),
    ...(row.comment !== null && { comment: row.comment }),
    doer: JSON.parse(row.doer) as Initiator,
    createdAt: row.created_at,
  };
}
