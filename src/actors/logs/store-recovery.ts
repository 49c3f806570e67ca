// Finds what a crash has left of logs: those in chunks, those whose build or run is over, and blobs that none refers to.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

/** Logs that are in chunks: those that grow now, and those that a crash has left. */
export async function listLogsInChunks(
  db: Db,
  after: string,
  limit: number,
): Promise<{ id: string; isEnded: boolean }[]> {
  const rows = await db
    .selectFrom('logs')
    .select(['id', 'is_ended'])
    .where('is_packed', '=', sql.lit(0)) // a value would keep PostgreSQL from using the partial index
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, is_ended }) => ({ id, isEnded: is_ended === 1 }));
}

/** Those of the ids whose build or run finished before that time. */
export async function listFinishedLogs(db: Db, ids: string[], before: number): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const [runs, builds] = await Promise.all([
    db.selectFrom('runs').select('id').where('id', 'in', ids).where('finished_at', '<', before).execute(),
    db.selectFrom('builds').select('id').where('id', 'in', ids).where('finished_at', '<', before).execute(),
  ]);
  return new Set([...runs, ...builds].map(({ id }) => id));
}

/** Whether the build or run of this log has finished, or is deleted. */
export async function isLogFinished(db: Db, id: string): Promise<boolean> {
  const [run, build] = await Promise.all([
    db.selectFrom('runs').select('finished_at').where('id', '=', id).executeTakeFirst(),
    db.selectFrom('builds').select('finished_at').where('id', '=', id).executeTakeFirst(),
  ]);
  const found = run ?? build;
  return found === undefined || found.finished_at !== null;
}

/** Returns those of the blobs that a log refers to. */
export async function listReferencedLogBlobs(db: Db, blobs: string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('logs').select('blob').where('blob', 'in', blobs).execute();
  return new Set(rows.map(({ blob }) => blob!));
}
