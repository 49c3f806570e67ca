// The due rows of writes to gists that go on, or whose server has died, and of accounts whose gists are to be removed.
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export const DELETE_GISTS_OF = 'host.delete-gists-of';

export async function hasGistWrite(tx: Db, id: string): Promise<boolean> {
  const row = await tx.selectFrom('due').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

export async function deleteGistWrite(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('due').where('id', '=', id).execute();
}

/** Belongs into the transaction in which the account ends. */
export function gistRemovalStatement(db: Db, ownerId: string, now: number): SqlStatement {
  const work = {
    id: `${DELETE_GISTS_OF}:${ownerId}`,
    kind: DELETE_GISTS_OF,
    payload: JSON.stringify({ ownerId }),
  };
  return db
    .insertInto('due')
    .values({ ...work, due_at: now, owner: null, attempts: 0, last_error: null, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .compile();
}
