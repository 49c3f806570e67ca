// Transfers the schedules of an account that ends to another account, renaming those whose names are taken there.
import { systemActor } from '../../kernel/change/actor.ts';
import type { HandOver } from '../../kernel/identity/store-accounts.ts';
import { scheduleResource } from './access.ts';
import { findFreeScheduleName, foldedScheduleName, lockScheduleNames, scheduleFrom } from './store.ts';
import { updateDue } from './store-due.ts';

/**
 * They are disabled: their runs had the permissions of the account that ends, and the new owner may have more. Enabling one
 * gives it theirs.
 */
export const handOverSchedules: HandOver = async (on, from, to) => {
  // Removing the account was authorized, and the transfer follows from it.
  const transfer = on.as(systemActor(on.actor));
  const { db: tx, actor } = transfer;
  await lockScheduleNames(tx, to.id);
  const rows = await tx
    .selectFrom('schedules')
    .selectAll()
    .where('user_id', '=', from.id)
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const schedule of rows.map(scheduleFrom)) {
    const taken = await tx
      .selectFrom('schedules')
      .select('id')
      .where('user_id', '=', to.id)
      .where(foldedScheduleName, '=', schedule.name.toLowerCase())
      .executeTakeFirst();
    const { id, isEnabled } = schedule;
    const name =
      taken === undefined ? schedule.name : await findFreeScheduleName(tx, [from.id, to.id], schedule.name);
    await tx
      .updateTable('schedules')
      .set({ user_id: to.id, name, is_enabled: 0, next_run_at: null, modified_at: actor.now })
      .where('id', '=', id)
      .execute();
    await updateDue(tx, { id, nextRunAt: null }, actor.now);
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
