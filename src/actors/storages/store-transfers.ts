// Transfers the storages of an account that ends to another account, renaming those whose names are taken there.
import { sql } from 'kysely';
import { systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Account, TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findFreeName } from '../resource-names.ts';
import { STORAGE_CHANNEL } from './access.ts';
import { MAX_NAME_LENGTH } from './model.ts';
import { foldedName, lockNames } from './store.ts';

export const transferStorages: TransferOwnership = async (tx, from, to) => {
  // Removing the account was authorized, and the transfer follows from it.
  const transfer = tx.as(systemActor(tx.actor));
  const { db } = transfer;
  await lockNames(db, to.id);
  await renameTaken(transfer, from, to);
  const { numUpdatedRows } = await db
    .updateTable('storages')
    .set({ user_id: to.id })
    .where('user_id', '=', from.id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  transfer.record({
    accesses: [{ action: 'transferStorages', resource: `service-token/${from.id}` }],
    kind: 'token',
    name: from.username,
    verb: `gave to ${to.username} the storages of the token`,
    after: { owner: to.username, storages: Number(numUpdatedRows) },
  });
  await tx.invalidate(STORAGE_CHANNEL);
};

/** Two storages of one kind and owner cannot share a name, in any case: a transferred one gets a number appended. */
async function renameTaken(tx: ChangeTransaction, from: Account, to: Account): Promise<void> {
  const { db } = tx;
  const taken = await db
    .selectFrom('storages as given')
    .innerJoin('storages as own', (join) =>
      join
        .onRef('own.kind', '=', 'given.kind')
        .on(sql<boolean>`lower(own.name) = lower(given.name)`)
        .on('own.name', 'is not', null)
        .on('own.user_id', '=', to.id),
    )
    .select(['given.id', 'given.kind', 'given.name'])
    .distinct()
    .where('given.user_id', '=', from.id)
    .where('given.name', 'is not', null)
    .execute();
  for (const { id, kind, name } of taken) {
    const free = await findFreeStorageName(db, kind, name!, [from.id, to.id]);
    await db
      .updateTable('storages')
      .set({ name: free, modified_at: tx.actor.now })
      .where('id', '=', id)
      .execute();
    tx.record({
      accesses: [{ action: 'updateStorage', resource: `${kind}/${id}` }],
      kind,
      name: free,
      verb: 'renamed the storage',
      ownerId: to.id,
      before: { id, name },
      after: { id, name: free },
    });
  }
}

function findFreeStorageName(tx: Db, kind: string, name: string, owners: string[]): Promise<string> {
  return findFreeName({ name, maxLength: MAX_NAME_LENGTH, firstNumber: 2 }, async (folded) => {
    const rows = await tx
      .selectFrom('storages')
      .select('name')
      .where('user_id', 'in', owners)
      .where('kind', '=', kind)
      .where('name', 'is not', null)
      .where(foldedName, 'in', folded)
      .execute();
    return rows.map((row) => row.name!);
  });
}
