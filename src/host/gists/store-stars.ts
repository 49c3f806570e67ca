// Stars of gists. The count in the gist's row changes in the same transaction, under its lock.
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export async function hasGistStar(db: Db, accountId: string, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('gist_stars')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where('gist_number', '=', number)
    .executeTakeFirst();
  return row !== undefined;
}

/** The caller has locked the gist. A second star changes nothing. */
export async function insertGistStar(tx: Db, accountId: string, number: number, now: number): Promise<void> {
  const row = await tx
    .insertInto('gist_stars')
    .values({ account_id: accountId, gist_number: number, created_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'gist_number']).doNothing())
    .returning('created_at')
    .executeTakeFirst();
  if (row !== undefined) await changeStarCount(tx, number, 1);
}

/** The caller has locked the gist. */
export async function deleteGistStar(tx: Db, accountId: string, number: number): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('gist_stars')
    .where('account_id', '=', accountId)
    .where('gist_number', '=', number)
    .executeTakeFirstOrThrow();
  if (numDeletedRows > 0n) await changeStarCount(tx, number, -1);
}

async function changeStarCount(tx: Db, number: number, change: 1 | -1): Promise<void> {
  await tx
    .updateTable('gists')
    .set((eb) => ({ star_count: eb('star_count', '+', change) }))
    .where('number', '=', number)
    .execute();
}

/** For an account that ends. */
export function gistStarRemovalStatements(db: Db, accountId: string): SqlStatement[] {
  const own = db.selectFrom('gist_stars').select('gist_number').where('account_id', '=', accountId);
  return [
    db
      .updateTable('gists')
      .set((eb) => ({ star_count: eb('star_count', '-', 1) }))
      .where('number', 'in', own)
      .compile(),
    db.deleteFrom('gist_stars').where('account_id', '=', accountId).compile(),
  ];
}
