// The public keys of users in the database.
import type { Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ParsedKey, UserKey } from './key.ts';
import type { UserKeyRow } from './tables.ts';

/** The oldest first. */
export async function listUserKeys(
  db: Db,
  accountId: string,
  { offset, limit }: Slice,
): Promise<{ items: UserKey[]; total: number }> {
  const keys = db.selectFrom('user_keys').where('account_id', '=', accountId);
  const [rows, { total }] = await Promise.all([
    keys.selectAll().orderBy('number').offset(offset).limit(limit).execute(),
    keys.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(keyFrom), total };
}

export async function findUserKey(db: Db, accountId: string, number: number): Promise<UserKey | undefined> {
  const row = await db
    .selectFrom('user_keys')
    .selectAll()
    .where('number', '=', number)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row && keyFrom(row);
}

/** Undefined where somebody has the key already. */
export async function insertUserKey(
  tx: Db,
  accountId: string,
  { title, publicKey, fingerprint }: Pick<ParsedKey, 'publicKey' | 'fingerprint'> & { title: string },
  now: number,
): Promise<UserKey | undefined> {
  const row = await tx
    .insertInto('user_keys')
    .values({ account_id: accountId, title, public_key: publicKey, fingerprint, created_at: now })
    .onConflict((conflict) => conflict.column('fingerprint').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && keyFrom(row);
}

export async function deleteUserKey(tx: Db, accountId: string, number: number): Promise<UserKey | undefined> {
  const row = await tx
    .deleteFrom('user_keys')
    .where('number', '=', number)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst();
  return row && keyFrom(row);
}

function keyFrom(row: Selectable<UserKeyRow>): UserKey {
  return { number: row.number, title: row.title, publicKey: row.public_key, createdAt: row.created_at };
}
