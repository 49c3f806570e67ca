// Transfers the tasks of an account that ends to another account, renaming those whose names are taken there.
import { systemActor } from '../../kernel/change/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Account, HandOver } from '../../kernel/identity/store-accounts.ts';
import { taskResource } from './access.ts';
import { findFreeTaskName, foldedTaskName, lockTaskNames } from './store.ts';

export const handOverTasks: HandOver = async (on, from, to) => {
  // Removing the account was authorized, and the transfer follows from it.
  const transfer = on.as(systemActor(on.actor));
  const { db: tx } = transfer;
  await lockTaskNames(tx, to.id);
  await renameTaken(transfer, from, to);
  const { numUpdatedRows } = await tx
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
async function renameTaken(on: ChangeTransaction, from: Account, to: Account): Promise<void> {
  const { db: tx } = on;
  const taken = await tx
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
    const free = await findFreeTaskName(tx, [from.id, to.id], name);
    await tx
      .updateTable('tasks')
      .set({ name: free, modified_at: on.actor.now })
      .where('id', '=', id)
      .execute();
    on.record({
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
