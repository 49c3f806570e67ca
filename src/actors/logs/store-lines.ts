// Finds lines of logs by their numbers in the database: the chunk that a line is in, and what was cut out.
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { countLines, type LineGap, type LineIndex, type LineMark } from './line-index.ts';
import { HEAD_BYTES } from './model.ts';
import type { StoredLog } from './store.ts';

const selectChunkOfLine = buildOnce((db, id: string, line: number) =>
  db
    .selectFrom('log_chunks')
    .select(['at', 'first_line'])
    .where('log_id', '=', id)
    .where('first_line', '<=', line)
    .orderBy('first_line', 'desc')
    .limit(1),
);

/** The beginning of the last chunk that begins at or before the line; of the log, where there is none. */
export async function findChunkMark(db: Db, id: string, line: number): Promise<LineMark> {
  const { rows } = await db.executeQuery(selectChunkOfLine(db, id, line));
  return rows[0] === undefined ? [0, 0] : [rows[0].at, rows[0].first_line!];
}

/** Of a log in chunks: what was cut out lies behind the last chunk that is kept for ever. */
export async function findChunkGap(
  db: Db,
  { id, totalBytes, totalLines = 0 }: StoredLog,
): Promise<LineGap | undefined> {
  const chunks = db.selectFrom('log_chunks').where('log_id', '=', id);
  const head = await chunks
    .select(['at', 'content', 'first_line'])
    .where('at', '<', HEAD_BYTES)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (head === undefined || head.first_line === null) return undefined;
  const endOfHead = head.at + head.content.length;
  if (endOfHead >= totalBytes) return undefined;
  const tail = await chunks
    .select(['at', 'first_line'])
    .where('at', '>=', HEAD_BYTES)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  const endAt = tail?.at ?? totalBytes;
  if (endAt === endOfHead) return undefined;
  const line = head.first_line + countLines(head.content);
  return { line, endAt, endLine: tail?.first_line ?? totalLines, bytes: endAt - endOfHead };
}

/** Of a blob that an older release has written. */
export async function saveLineIndex(db: Db, { id, blob }: StoredLog, index: LineIndex): Promise<void> {
  if (blob === undefined) return;
  await db
    .updateTable('logs')
    .set({ total_lines: index.total, line_index: JSON.stringify(index) })
    .where('id', '=', id)
    .where('blob', '=', blob.key)
    .execute();
}
