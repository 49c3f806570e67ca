// Transfers the tasks of an account that ends to another account, renaming those whose names are taken there.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Account, TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import { taskResource } from './access.ts';
import { findFreeTaskName, foldedTaskName, lockTaskNames } from './store.ts';

export const transferTasks: TransferOwnership = async (tx, from, to) => {
  // Removing the account was authorized, and the transfer follows from it.
  const transfer = tx.as(systemActor(tx.actor));
  const { db } = transfer;
  await lockTaskNames(db, to.id);
  await renameTaken(transfer, from, to);
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set({ user_id: to.id })
    .where('user_id', '=', from.id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  transfer.record({
    accesses: [{ action: 'transferTasks', resource: `service-token/${from.id}` }],
    kind: 'token',
    name: from.username,
    verb: `gave to ${to.username} the tasks of the token`,
    after: { owner: to.username, tasks: Number(numUpdatedRows) },
  });
};

/** Two tasks of one owner cannot share a name, in any case: a transferred one gets a number appended. */
async function renameTaken(tx: ChangeTransaction, from: Account, to: Account): Promise<void> {
  const { db } = tx;
  const taken = await db
    .selectFrom('tasks as given')
    .select(['given.id', 'given.name'])
    .where('given.user_id', '=', from.id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('tasks')
          .select('tasks.id')
          .where('tasks.user_id', '=', to.id)
          .whereRef(foldedTaskName, '=', ({ fn }) => fn<string>('lower', ['given.name'])),
      ),
    )
    .execute();
  for (const { id, name } of taken) {
    const free = await findFreeTaskName(db, [from.id, to.id], name);
    await db
      .updateTable('tasks')
      .set({ name: free, modified_at: tx.actor.now })
      .where('id', '=', id)
      .execute();
    tx.record({
      accesses: [{ action: 'updateTask', resource: taskResource({ id }) }],
      kind: 'actor-task',
      name: free,
      verb: 'renamed the task',
      ownerId: to.id,
      before: { id, name },
      after: { id, name: free },
    });
  }
}
