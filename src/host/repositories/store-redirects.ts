// The former names of repositories in the database.
import type { Db } from '../../kernel/storage/tables.ts';
import type { Repository } from './repository.ts';

/** The repository that has left this name, for a redirect. */
export async function findRedirect(db: Db, ownerId: string, name: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('repository_redirects')
    .select('repository_number')
    .where('owner_id', '=', ownerId)
    .where('folded_name', '=', name.toLowerCase())
    .executeTakeFirst();
  return row?.repository_number;
}

/** A later one of the same name replaces it. */
export async function insertRedirect(
  tx: Db,
  { ownerId, name, number }: Pick<Repository, 'ownerId' | 'name' | 'number'>,
  now: number,
): Promise<void> {
  await tx
    .insertInto('repository_redirects')
    .values({
      owner_id: ownerId,
      folded_name: name.toLowerCase(),
      repository_number: number,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'folded_name'])
        .doUpdateSet({ repository_number: number, created_at: now }),
    )
    .execute();
}

export async function deleteRedirect(tx: Db, ownerId: string, name: string): Promise<void> {
  await tx
    .deleteFrom('repository_redirects')
    .where('owner_id', '=', ownerId)
    .where('folded_name', '=', name.toLowerCase())
    .execute();
}

/** The names that lead to it, in lower case. */
export async function listFormerNames(db: Db, number: number): Promise<{ ownerId: string; name: string }[]> {
  const rows = await db
    .selectFrom('repository_redirects')
    .select(['owner_id', 'folded_name'])
    .where('repository_number', '=', number)
    .execute();
  return rows.map((row) => ({ ownerId: row.owner_id, name: row.folded_name }));
}
