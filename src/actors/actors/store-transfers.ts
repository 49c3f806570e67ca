// Transfers the Actors of an account that ends to another account, with its builds and runs, renaming Actors whose names are taken there.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Account, TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { saveStoreEntriesOf } from '../actor-store/store-entries.ts';
import { updateBuildOwner } from '../builds/store.ts';
import { scopeKey, type RunScope } from '../runs/store.ts';
import { actorResource } from './access.ts';
import { findFreeActorName, foldedActorName, lockActorNames } from './store.ts';
import { updateActorUserOwner } from './store-users.ts';

export const transferActors: TransferOwnership = async (tx, from, to) => {
  // Removing the account was authorized, and the transfer follows from it.
  const transfer = tx.as(systemActor(tx.actor));
  const { db } = transfer;
  await lockActorNames(db, to.id);
  await renameTaken(transfer, from, to);
  const { numUpdatedRows } = await db
    .updateTable('actors')
    .set({ user_id: to.id })
    .where('user_id', '=', from.id)
    .executeTakeFirstOrThrow();
  await updateJobOwner(db, from, to);
  await updateRunOwner(db, from.id, to.id);
  await updateActorUserOwner(db, from.id, to.id);
  await updateBuildOwner(db, from.id, to.id);
  await updateInputKeyOwner(db, from, to);
  if (numUpdatedRows === 0n) return;
  await saveStoreEntriesOf(db, to.id);
  transfer.record({
    accesses: [{ action: 'transferActors', resource: `service-token/${from.id}` }],
    kind: 'token',
    name: from.username,
    verb: `gave to ${to.username} the Actors of the token`,
    after: { owner: to.username, actors: Number(numUpdatedRows) },
  });
};

/** Two Actors of one owner cannot share a name, in any case: a transferred one gets a number appended. */
async function renameTaken(tx: ChangeTransaction, from: Account, to: Account): Promise<void> {
  const { db } = tx;
  const taken = await db
    .selectFrom('actors as given')
    .select(['given.id', 'given.name'])
    .where('given.user_id', '=', from.id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('actors')
          .select('actors.id')
          .where('actors.user_id', '=', to.id)
          .whereRef(foldedActorName, '=', ({ fn }) => fn<string>('lower', ['given.name'])),
      ),
    )
    .execute();
  for (const { id, name } of taken) {
    const free = await findFreeActorName(db, [from.id, to.id], name);
    await db
      .updateTable('actors')
      .set({ name: free, modified_at: tx.actor.now })
      .where('id', '=', id)
      .execute();
    tx.record({
      accesses: [{ action: 'updateActor', resource: actorResource({ id }) }],
      kind: 'actor',
      name: free,
      verb: 'renamed the Actor',
      ownerId: to.id,
      before: { id, name },
      after: { id, name: free },
    });
  }
}

/** Of unfinished builds and runs: the queue is fair across accounts. */
async function updateJobOwner(tx: Db, from: Account, to: Account): Promise<void> {
  for (const table of ['runs', 'builds'] as const) {
    const unfinished = await tx
      .selectFrom(table)
      .select('id')
      .where('user_id', '=', from.id)
      .where('finished_at', 'is', null)
      .execute();
    for (const { id } of unfinished) {
      await tx.updateTable('jobs').set({ user_id: to.id }).where('id', '=', id).execute();
    }
  }
}

/** The keys of secret input fields. Where the new owner has keys for an Actor, runs of the old one cannot be resurrected with their secrets. */
async function updateInputKeyOwner(tx: Db, from: Account, to: Account): Promise<void> {
  await tx
    .updateTable('input_keys')
    .set({ user_id: to.id })
    .where('user_id', '=', from.id)
    .where('actor_id', 'not in', (eb) =>
      eb.selectFrom('input_keys as own').select('own.actor_id').where('own.user_id', '=', to.id),
    )
    .execute();
}

async function updateRunOwner(tx: Db, from: string, to: string): Promise<void> {
  const counted = await tx
    .selectFrom('runs')
    .select(({ fn }) => ['actor_id', fn.countAll<number>().as('total')])
    .where('user_id', '=', from)
    .groupBy('actor_id')
    .execute();
  const scopesOf = (userId: string): { scope: string; total: number }[] => {
    const ofActors = counted.map(({ actor_id: actorId, total }) => keyOf({ actorId, userId }, total));
    return [
      ...ofActors,
      keyOf(
        { userId },
        counted.reduce((sum, { total }) => sum + total, 0),
      ),
    ];
  };
  // In the same order as in `countRuns`, so that two transactions never wait for each other.
  for (const { scope, total } of scopesOf(to).toSorted((a, b) => (a.scope < b.scope ? -1 : 1))) {
    await tx
      .insertInto('run_counts')
      .values({ scope, total })
      .onConflict((conflict) =>
        conflict.column('scope').doUpdateSet((eb) => ({ total: eb('run_counts.total', '+', total) })),
      )
      .execute();
  }
  for (const { scope } of scopesOf(from)) {
    await tx.deleteFrom('run_counts').where('scope', '=', scope).execute();
  }
  await tx.updateTable('runs').set({ user_id: to }).where('user_id', '=', from).execute();
}

function keyOf(scope: RunScope, total: number) {
  return { scope: scopeKey(scope), total };
}
