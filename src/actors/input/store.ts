// The keys of secret input fields in the database.
import type { TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { InputKeyRow } from './tables.ts';

/** Whose secrets, and which Actor may read them. */
export interface InputKeyOwner {
  userId: string;
  actorId: string;
}

export interface StoredInputKey {
  publicKey: string;
  sealedKey: string;
}

export async function findInputKey(
  db: Db,
  { userId, actorId }: InputKeyOwner,
): Promise<StoredInputKey | undefined> {
  return await db
    .selectFrom('input_keys')
    .select(['public_key as publicKey', 'sealed_key as sealedKey'])
    .where('user_id', '=', userId)
    .where('actor_id', '=', actorId)
    .executeTakeFirst();
}

/** Leaves a key alone that another call has inserted meanwhile. */
export async function insertInputKey(
  db: Db,
  { userId, actorId }: InputKeyOwner,
  { publicKey, sealedKey }: StoredInputKey,
  now: number,
): Promise<void> {
  const row: InputKeyRow = {
    user_id: userId,
    actor_id: actorId,
    public_key: publicKey,
    sealed_key: sealedKey,
    created_at: now,
  };
  await db
    .insertInto('input_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The runs of an account that ends go to another. Where that one has a key for the same Actor, its own stays. */
export const transferInputKeys: TransferOwnership = async ({ db: tx }, from, to) => {
  await tx
    .updateTable('input_keys')
    .set({ user_id: to.id })
    .where('user_id', '=', from.id)
    .where('actor_id', 'not in', (query) =>
      query.selectFrom('input_keys as own').select('own.actor_id').where('own.user_id', '=', to.id),
    )
    .execute();
  await tx.deleteFrom('input_keys').where('user_id', '=', from.id).execute();
};
