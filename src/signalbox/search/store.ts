// The index of the search in the database: entries, and changes that are not in it yet. ADR 0145.
import type { Generated } from 'kysely';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { SearchSource } from './source.ts';
import { indexedWords } from './terms.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    search_entries: { number: Generated<number>; source: string; id: string; words: string };
    /** Written by triggers of the tables that are watched. */
    search_changes: SearchChange;
  }
}

interface SearchChange {
  number: Generated<number>;
  source: string;
  id: string;
}

export const SEARCHED = { table: 'search_entries', key: 'number' } as const;

/** In the order of the numbers that were found. */
export async function listEntryIds(db: Db, numbers: readonly number[]): Promise<string[]> {
  if (numbers.length === 0) return [];
  const rows = await db
    .selectFrom('search_entries')
    .select(['number', 'id'])
    .where('number', 'in', numbers)
    .execute();
  const ids = new Map(rows.map(({ number, id }) => [number, id]));
  return numbers.flatMap((number) => ids.get(number) ?? []);
}

/** What has changed and is not indexed yet, the newest first: ids by source. */
export async function listUnindexed(db: Db, limit: number): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('search_changes')
    .select(['source', 'id'])
    .where('number', '>', 0)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  const bySource = Map.groupBy(rows, ({ source }) => source);
  return new Map(
    [...bySource].map(([source, changes]) => [source, [...new Set(changes.map(({ id }) => id))]]),
  );
}

/** Cheap, so that it can be asked often. */
export async function hasUnindexed(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('search_changes')
    .select('number')
    .where('number', '>', 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Indexes the oldest changes. Returns how many there were. */
export async function indexChanges(
  db: Db,
  sources: ReadonlyMap<string, SearchSource>,
  limit: number,
): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    // One node at a time: another could overwrite what it has read later with what it had read before.
    await lockName(tx, 'search-index');
    const changes = await tx
      .selectFrom('search_changes')
      .selectAll()
      .where('number', '>', 0)
      .orderBy('number')
      .limit(limit)
      .execute();
    if (changes.length === 0) return 0;
    for (const [name, some] of Map.groupBy(changes, ({ source }) => source)) {
      const ids = [...new Set(some.map(({ id }) => id))];
      await replaceEntries(tx, name, ids, sources.get(name));
    }
    const numbers = changes.map(({ number }) => number);
    await tx.deleteFrom('search_changes').where('number', 'in', numbers).execute();
    return changes.length;
  });
}

/** Their words never change: the engines' indexes know insertions and deletions. */
async function replaceEntries(
  tx: Db,
  source: string,
  ids: readonly string[],
  from: SearchSource | undefined,
): Promise<void> {
  await tx.deleteFrom('search_entries').where('source', '=', source).where('id', 'in', ids).execute();
  const records = (await from?.read(tx, ids)) ?? [];
  if (records.length === 0) return;
  await tx
    .insertInto('search_entries')
    .values(records.map((record) => ({ source, id: record.id, words: indexedWords(record) })))
    .execute();
}
