// Exports of big segments in the database, their due work, and the names of their files.
import { schedule } from '../../../kernel/jobs/due-store.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { couldBeId } from '../../fields.ts';
import type { FileRecord } from '../imports/csv-file.ts';
import type { SegmentExportRow } from '../tables.ts';

export const EXPORT_STATUSES = ['in_progress', 'complete'] as const;

export interface SegmentExport {
  id: string;
  segmentId: string;
  status: (typeof EXPORT_STATUSES)[number];
  /** Of the file, in bytes. */
  size: number;
  /** The member who requested it. */
  memberId: string;
  createdAt: number;
}

export const EXPORT_WORK = 'flags.segment-export';
export const EXPORT_END_WORK = 'flags.segment-export-end';

/** How long a file can be downloaded, and how long an export may take. */
export const KEPT_HOURS = 24;
const KEPT_MS = KEPT_HOURS * 60 * 60 * 1000;

export function exportFile(id: string): string {
  return `segment-exports/${id}`;
}

export async function scheduleExport(tx: Db, id: string, now: number): Promise<void> {
  await schedule(tx, { id: `${EXPORT_WORK}:${id}`, kind: EXPORT_WORK, payload: id, dueAt: now }, now);
}

/** Scheduled when the export starts, and again when it is complete, so that no file is ever left behind. */
export async function scheduleEnd(db: Db, id: string, now: number, afterMs = KEPT_MS): Promise<void> {
  const work = { id: `${EXPORT_END_WORK}:${id}`, kind: EXPORT_END_WORK, payload: id, dueAt: now + afterMs };
  await schedule(db, work, now, 'move');
}

export async function insertExport(tx: Db, made: SegmentExport): Promise<void> {
  const { id, segmentId, status, size, memberId, createdAt } = made;
  await tx
    .insertInto('segment_exports')
    .values({ id, segment_id: segmentId, status, size, member_id: memberId, created_at: createdAt })
    .execute();
}

export async function findExport(db: Db, id: string): Promise<SegmentExport | undefined> {
  if (!couldBeId(id)) return undefined;
  const row = await db.selectFrom('segment_exports').selectAll().where('id', '=', id).executeTakeFirst();
  return row && exportOf(row);
}

/** Oldest first. */
export async function listExports(db: Db, segmentId: string): Promise<SegmentExport[]> {
  const rows = await db
    .selectFrom('segment_exports')
    .selectAll()
    .where('segment_id', '=', segmentId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(exportOf);
}

function exportOf(row: SegmentExportRow): SegmentExport {
  return {
    id: row.id,
    segmentId: row.segment_id,
    status: row.status as SegmentExport['status'],
    size: row.size,
    memberId: row.member_id,
    createdAt: row.created_at,
  };
}

/** False if it was deleted. */
export async function completeExport(tx: Db, id: string, size: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('segment_exports')
    .set({ status: 'complete', size })
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteExport(db: Db, id: string): Promise<void> {
  await db.deleteFrom('segment_exports').where('id', '=', id).execute();
}

const BATCH_SIZE = 5000;

/** Pages by keyset: no duplicates; contexts that are added meanwhile may be missing. */
export async function* streamMembers(
  db: Db,
  segmentId: string,
  signal: AbortSignal,
): AsyncGenerator<FileRecord[], void> {
  let after: string | undefined = '';
  while (after !== undefined) {
    signal.throwIfAborted();
    const rows: { context_key: string; is_included: number }[] = await db
      .selectFrom('segment_members')
      .select(['context_key', 'is_included'])
      .where('segment_id', '=', segmentId)
      .where('context_key', '>', after)
      .orderBy('context_key')
      .limit(BATCH_SIZE)
      .execute();
    yield rows.map(({ context_key, is_included }) => ({
      key: context_key,
      type: is_included === 1 ? 'included' : 'excluded',
    }));
    after = rows.length === BATCH_SIZE ? rows.at(-1)!.context_key : undefined;
  }
}
