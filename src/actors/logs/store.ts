// Logs in the database: chunks of lines while they grow, the positions in the files that they come from, and blobs in the end.
import { sql } from 'kysely';
import { schedule } from '../../kernel/jobs/due-store.ts';
import { buildOnce, insertOf } from '../../kernel/storage/build-once.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { HEAD_BYTES, LOG_BYTES, splitIntoChunks, TAIL_BYTES } from './model.ts';
import { countLines, type LineIndex } from './line-index.ts';
import type { LogFileRow, LogRow } from './tables.ts';

/** Notified with the ids of logs that have grown or ended, joined by commas. */
export const LOG_CHANNEL = 'logs';
/** Due work; the payload is the key of the blob. */
export const DELETE_LOG_BLOB = 'logs.delete-blob';
export const LOG_BLOB_PREFIX = 'logs/';
/** A reader that has just read the key of the blob still finds it. */
const BLOB_GRACE_MS = 60_000;

export interface StoredLog {
  id: string;
  isEnded: boolean;
  isPacked: boolean;
  totalBytes: number;
  blob?: { key: string; bytes: number; headBytes: number };
  /** Absent in logs of older releases, until they are packed or read by lines. */
  totalLines?: number;
  /** Of a packed log, as JSON. */
  lineIndex?: string;
}

const insertLogRow = insertOf('logs');

export async function insertLog(tx: Db, log: { id: string; userId: string }, now: number): Promise<void> {
  const row = {
    id: log.id,
    user_id: log.userId,
    is_ended: 0,
    is_packed: 0,
    total_bytes: 0,
    blob: null,
    blob_bytes: 0,
    head_bytes: 0,
    created_at: now,
    total_lines: 0,
    line_index: null,
  };
  await tx.executeQuery(insertLogRow(tx, row));
}

/** The blob is deleted a little later. */
export async function deleteLog(tx: Db, id: string, now: number): Promise<void> {
  const deleted = await tx.deleteFrom('logs').where('id', '=', id).returning('blob').executeTakeFirst();
  if (deleted?.blob) await scheduleBlobDelete(tx, deleted.blob, now);
}

async function scheduleBlobDelete(db: Db, blob: string, now: number): Promise<void> {
  const work = { id: `${DELETE_LOG_BLOB}:${blob}`, kind: DELETE_LOG_BLOB, payload: blob };
  await schedule(db, { ...work, dueAt: now + BLOB_GRACE_MS }, now);
}

const selectLog = buildOnce((db, id: string) => db.selectFrom('logs').selectAll().where('id', '=', id));

export async function findLog(db: Db, id: string): Promise<StoredLog | undefined> {
  const { rows } = await db.executeQuery(selectLog(db, id));
  return rows[0] && logOf(rows[0]);
}

function logOf(row: LogRow): StoredLog {
  return {
    id: row.id,
    isEnded: row.is_ended === 1,
    isPacked: row.is_packed === 1,
    totalBytes: row.total_bytes,
    ...(row.blob !== null && { blob: { key: row.blob, bytes: row.blob_bytes, headBytes: row.head_bytes } }),
    ...(row.total_lines !== null && { totalLines: row.total_lines }),
    ...(row.line_index !== null && { lineIndex: row.line_index }),
  };
}

export interface LogChunk {
  at: number;
  content: Uint8Array;
  /** How many lines were added before it, where that is known. */
  firstLine?: number | null;
}

const PAGE_BYTES = 512 * 1024;
const PAGE_CHUNKS = 2000;

const selectPage = buildOnce((db, id: string, from: number) =>
  db
    .selectFrom('log_chunks')
    .select(['at', 'content', 'first_line as firstLine'])
    .where('log_id', '=', id)
    .where('at', '>=', from)
    .where('at', '<', (eb) =>
      eb
        .selectFrom('log_chunks as first')
        .select(({ fn }) => sql<number>`${fn.min('first.at')} + ${sql.lit(PAGE_BYTES)}`.as('end'))
        .where('first.log_id', '=', id)
        .where('first.at', '>=', from),
    )
    .orderBy('at')
    .limit(PAGE_CHUNKS),
);

/** The next chunks from this position on, of about half a megabyte. */
export async function listChunks(db: Db, id: string, from: number): Promise<LogChunk[]> {
  const { rows } = await db.executeQuery(selectPage(db, id, from));
  return rows;
}

export async function insertLogFile(db: Db, id: string, file: string): Promise<void> {
  await db.insertInto('log_files').values({ log_id: id, file, position: 0 }).execute();
}

export async function findLogFile(db: Db, id: string, file: string): Promise<LogFileRow | undefined> {
  return await db
    .selectFrom('log_files')
    .selectAll()
    .where('log_id', '=', id)
    .where('file', '=', file)
    .executeTakeFirst();
}

/** All of them: there is one for each program that runs now, and for each that a dead server has left. */
export async function listLogFiles(db: Db): Promise<LogFileRow[]> {
  return await db.selectFrom('log_files').selectAll().execute();
}

export async function deleteLogFile(db: Db, id: string, file: string): Promise<void> {
  await db.deleteFrom('log_files').where('log_id', '=', id).where('file', '=', file).execute();
}

/** The next bytes of a file, to be stored. */
export interface LogAppend {
  id: string;
  file: string;
  /** In the file, before and after. */
  from: number;
  to: number;
  /** Raw bytes that are left out of the middle of the log, before the content. */
  skipped: number;
  /** How many lines these have had. */
  skippedLines?: number;
  content: Uint8Array;
  /** After the last bytes: whether the file is done with, or the whole log. */
  ending?: 'close' | 'end' | undefined;
}

const movePosition = buildOnce((db, id: string, file: string, from: number, to: number) =>
  db
    .updateTable('log_files')
    .set({ position: to })
    .where('log_id', '=', id)
    .where('file', '=', file)
    .where('position', '=', from),
);

/** Before the chunk is inserted: it serializes the nodes that write to one log. */
const addBytes = buildOnce((db, id: string, bytes: number, lines: number) =>
  db
    .updateTable('logs')
    .set((eb) => ({
      total_bytes: eb('total_bytes', '+', bytes),
      total_lines: eb('total_lines', '+', lines),
    }))
    .where('id', '=', id),
);

const insertChunk = buildOnce((db, id: string, content: Uint8Array, length: number, lines: number) =>
  db
    .insertInto('log_chunks')
    .columns(['log_id', 'at', 'content', 'first_line'])
    .expression((eb) =>
      eb
        .selectFrom('logs')
        .select((row) => [
          'id',
          row('total_bytes', '-', length).as('at'),
          row.val(content).as('content'),
          row('total_lines', '-', lines).as('first_line'),
        ])
        .where('id', '=', id),
    ),
);

const deleteMiddle = buildOnce((db, id: string) =>
  db
    .deleteFrom('log_chunks')
    .where('log_id', '=', id)
    .where('at', '>=', HEAD_BYTES)
    .where('at', '<', (eb) =>
      eb
        .selectFrom('logs')
        .select(sql<number>`total_bytes - ${sql.lit(TAIL_BYTES)}`.as('end'))
        .where('id', '=', id)
        .where('total_bytes', '>', LOG_BYTES),
    ),
);

/** A log has one gap only: what came before a second one would soon be deleted anyway. */
const deleteTail = buildOnce((db, id: string) =>
  db.deleteFrom('log_chunks').where('log_id', '=', id).where('at', '>=', HEAD_BYTES),
);

const markEnded = buildOnce((db, id: string) =>
  db.updateTable('logs').set({ is_ended: 1 }).where('id', '=', id),
);

const deleteFile = buildOnce((db, id: string, file: string) =>
  db.deleteFrom('log_files').where('log_id', '=', id).where('file', '=', file),
);

/**
 * Stores the next bytes of several files in one commit, together with the new positions: after a crash nothing is missing or
 * doubled. False, with nothing stored, if one of the files is not at its position: its log was deleted, or a commit
 * whose answer was lost had stored the same bytes.
 */
export async function appendToLogs(engine: Engine, appends: readonly LogAppend[]): Promise<boolean> {
  const { db } = engine;
  // Sorted, so that two nodes never deadlock.
  const sorted = appends.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return await engine.batchIf(
    sorted.map(({ id, file, from, to }) => movePosition(db, id, file, from, to)),
    sorted.flatMap((append) => appendStatements(db, append)),
  );
}

function appendStatements(db: Db, append: LogAppend): SqlStatement[] {
  const { id, file, skipped, skippedLines = 0, content, ending } = append;
  const lines = countLines(content);
  const statements: SqlStatement[] = [];
  if (skipped > 0) statements.push(deleteTail(db, id));
  if (skipped + content.length > 0)
    statements.push(addBytes(db, id, skipped + content.length, skippedLines + lines));
  if (content.length > 0)
    statements.push(insertChunk(db, id, content, content.length, lines), deleteMiddle(db, id));
  if (ending !== undefined) statements.push(deleteFile(db, id, file));
  if (ending === 'end') statements.push(markEnded(db, id));
  return statements;
}

/** False if the log has grown meanwhile, or another node has packed it. */
export async function replaceChunks(
  { db, batchIf }: Engine,
  { id, totalBytes }: StoredLog,
  blob: { key: string; bytes: number; headBytes: number; lines?: LineIndex } | undefined,
): Promise<boolean> {
  const pack = db
    .updateTable('logs')
    .set({
      is_packed: 1,
      ...(blob && { blob: blob.key, blob_bytes: blob.bytes, head_bytes: blob.headBytes }),
      ...(blob?.lines && { total_lines: blob.lines.total, line_index: JSON.stringify(blob.lines) }),
    })
    .where('id', '=', id)
    .where('is_ended', '=', 1)
    .where('is_packed', '=', 0)
    .where('total_bytes', '=', totalBytes);
  return await batchIf([pack.compile()], [db.deleteFrom('log_chunks').where('log_id', '=', id).compile()]);
}

/** Continues an ended log in chunks again. False if it has changed meanwhile. */
export async function reopenLog(
  engine: Engine,
  { id, totalBytes, totalLines, blob }: StoredLog,
  kept: { head: Uint8Array; tail: Uint8Array },
  now: number,
): Promise<boolean> {
  const { db } = engine;
  const reopen = db
    .updateTable('logs')
    .set({ is_ended: 0, is_packed: 0, blob: null, blob_bytes: 0, head_bytes: 0, line_index: null })
    .where('id', '=', id)
    .where('total_bytes', '=', totalBytes)
    .where('blob', blob === undefined ? 'is' : '=', blob?.key ?? null);
  const chunks: SqlStatement[] = [];
  const insert = (part: Uint8Array, begin: number, beginLine: number | undefined) => {
    let [at, line] = [begin, beginLine];
    for (const content of splitIntoChunks(part)) {
      const row = { log_id: id, at, content, first_line: line ?? null };
      chunks.push(db.insertInto('log_chunks').values(row).compile());
      at += content.length;
      if (line !== undefined) line += countLines(content);
    }
  };
  insert(kept.head, 0, totalLines === undefined ? undefined : 0);
  insert(
    kept.tail,
    totalBytes - kept.tail.length,
    totalLines === undefined ? undefined : totalLines - countLines(kept.tail),
  );
  const isReopened = await engine.batchIf([reopen.compile()], chunks);
  // A crash before this leaves an orphan, which a sweep finds.
  if (isReopened && blob !== undefined) await scheduleBlobDelete(db, blob.key, now);
  return isReopened;
}

/** The caller notifies the followers. */
export async function markLogEnded(db: Db, id: string): Promise<void> {
  await db.executeQuery(markEnded(db, id));
}

/** Marks a log as ended that has no writer, or none any more. In a transaction, its commit wakes those who follow it. */
export async function endLog(db: Db, id: string): Promise<void> {
  await markLogEnded(db, id);
  if (db.isTransaction) await notifyOnCommit(db, LOG_CHANNEL);
}
