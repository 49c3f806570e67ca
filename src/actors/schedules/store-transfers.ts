// Transfers the schedules of an account that ends to another account, renaming those whose names are taken there.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import { scheduleResource } from './access.ts';
import {
  findFreeScheduleName,
  foldedScheduleName,
  lockScheduleNames,
  scheduleFrom,
  updateDue,
} from './store.ts';

/**
 * They are disabled: their runs had the permissions of the account that ends, and the new owner may have more. Enabling one
 * gives it theirs.
 */
export const transferSchedules: TransferOwnership = async (tx, from, to) => {
  // Removing the account was authorized, and the transfer follows from it.
  const transfer = tx.as(systemActor(tx.actor));
  const { db, actor } = transfer;
  await lockScheduleNames(db, to.id);
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('user_id', '=', from.id)
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const schedule of rows.map(scheduleFrom)) {
    const taken = await db
      .selectFrom('schedules')
      .select('id')
      .where('user_id', '=', to.id)
      .where(foldedScheduleName, '=', schedule.name.toLowerCase())
      .executeTakeFirst();
    const { id, isEnabled } = schedule;
    const name =
      taken === undefined ? schedule.name : await findFreeScheduleName(db, [from.id, to.id], schedule.name);
    await db
      .updateTable('schedules')
      .set({ user_id: to.id, name, is_enabled: 0, next_run_at: null, modified_at: actor.now })
      .where('id', '=', id)
      .execute();
    await updateDue(db, { id, nextRunAt: null }, actor.now);
    transfer.record({
      accesses: [{ action: 'updateSchedule', resource: scheduleResource(schedule) }],
      kind: 'schedule',
      name,
      verb: `gave to ${to.username} the schedule`,
      ownerId: to.id,
      before: { id, owner: from.username, name: schedule.name, isEnabled },
      after: { id, owner: to.username, name, isEnabled: false },
    });
  }
};
