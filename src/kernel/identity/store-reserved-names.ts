// The names that are taken, in whatever case: of members, of organizations, and words that paths of this server begin with.
import { sql } from 'kysely';
import type { Db } from '../storage/tables.ts';

export type NameHolder = 'member' | 'organization' | 'path';

/** The name of the account that owns what comes with the program: documents and clients know public programs under it. */
export const LIBRARY_USERNAME = 'apify';

/** In any case, so that nobody can pass for that account. */
export function isReservedUsername(username: string): boolean {
  return username.toLowerCase() === LIBRARY_USERNAME;
}

/**
 * False where the name is taken. A transaction waits for another one that reserves the same name; the primary key decides.
 * Called in the transaction that creates the holder of the name.
 */
export async function reserveName(db: Db, name: string, holder: NameHolder): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('reserved_names')
    .values({ name: foldName(name), reserved_for: holder })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/**
 * For a holder that is renamed or deleted, afterwards. Names of members of an older database may differ in case alone: the
 * last of them releases the name.
 */
export async function releaseName(db: Db, name: string, holder: NameHolder): Promise<void> {
  const folded = foldName(name);
  await db
    .deleteFrom('reserved_names')
    .where('name', '=', folded)
    .where('reserved_for', '=', holder)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('members')
            .select('id')
            .where(sql`lower(username)`, '=', folded),
        ),
      ),
    )
    .execute();
}

export async function isNameFree(db: Db, name: string): Promise<boolean> {
  return (await listReservedNames(db, [name])).size === 0;
}

/** Undefined where it is free. */
export async function findNameHolder(db: Db, name: string): Promise<NameHolder | undefined> {
  const row = await db
    .selectFrom('reserved_names')
    .select('reserved_for')
    .where('name', '=', foldName(name))
    .executeTakeFirst();
  return row?.reserved_for as NameHolder | undefined;
}

/** Those of the names that are taken, in lower case. */
export async function listReservedNames(db: Db, names: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('reserved_names')
    .select('name')
    .where('name', 'in', names.map(foldName))
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** Reserves words for paths; those that a member or an organization has already stay theirs. */
export async function reservePaths(db: Db, words: Iterable<string>): Promise<void> {
  const all = [...new Set([...words].map(foldName))];
  const known = await listReservedNames(db, all);
  const missing = all.filter((word) => !known.has(word));
  if (missing.length === 0) return;
  await db
    .insertInto('reserved_names')
    .values(missing.map((name) => ({ name, reserved_for: 'path' })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Names are ASCII, which both engines fold alike. */
function foldName(name: string): string {
  return name.toLowerCase();
}
