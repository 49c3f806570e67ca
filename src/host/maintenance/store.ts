// What the database knows about pushes that are under way, and about which folders there must be.
import { hasWorkBelow } from '../../kernel/jobs/due-store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { RECORD_GIST } from '../gists/record-change.ts';

/** On any node. The row of a push is written before git may write, and deleted when the push has been recorded. */
export async function isPushed(db: Db, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('host_pushes')
    .select('id')
    .where('repository_number', '=', number)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** On any node. The due row of a write is there before git may write, and deleted when the write has been recorded. */
export async function isGistWritten(db: Db, number: number): Promise<boolean> {
  return await hasWorkBelow(db, `${RECORD_GIST}:${number}:`);
}

export interface CheckedRepository {
  number: number;
  /** `owner/name` in lower case, or `gist/id`. */
  fullName: string;
  sizeKb: number;
  /** Its folder is about to be deleted. */
  isDeleted: boolean;
}

/** All of them, in the order of their numbers, beginning after one. */
export async function listCheckedRepositories(
  db: Db,
  after: number,
  limit: number,
): Promise<CheckedRepository[]> {
  const rows = await db
    .selectFrom('repositories')
    .select(['number', 'full_name', 'size_kb', 'deleted_at'])
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    number: row.number,
    fullName: row.full_name,
    sizeKb: row.size_kb,
    isDeleted: row.deleted_at !== null,
  }));
}

/** As those of repositories. */
export async function listCheckedGists(db: Db, after: number, limit: number): Promise<CheckedRepository[]> {
  const rows = await db
    .selectFrom('gists')
    .select(['number', 'id', 'deleted_at'])
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    number: row.number,
    fullName: `gist/${row.id}`,
    // No gist is empty.
    sizeKb: 1,
    isDeleted: row.deleted_at !== null,
  }));
}
