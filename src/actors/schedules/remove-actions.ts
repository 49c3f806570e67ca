// Removes the actions that start an Actor or a task, when it is deleted.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { audited, scheduleChange } from './change-schedule.ts';
import {
  deleteActionsOfTarget,
  listActionTargets,
  listSchedulesOfTarget,
  lockSchedulesOfTarget,
} from './store-actions.ts';

/**
 * Called twice in the transaction that deletes it: before it is locked, because changes and firings lock a schedule before
 * what it starts; and again afterwards, for actions that were added meanwhile. Schedules of its owner get an audit entry;
 * other accounts may have any number of schedules with a public Actor.
 */
export async function removeActionsOf(
  tx: ChangeTransaction,
  target: { id: string; userId: string },
): Promise<void> {
  const { db } = tx;
  await lockSchedulesOfTarget(db, target.id);
  const schedules = await listSchedulesOfTarget(db, target.userId, target.id);
  const before = await listActionTargets(
    db,
    schedules.map(({ id }) => id),
  );
  await deleteActionsOfTarget(db, target.id);
  const after = await listActionTargets(db, [...before.keys()]);
  // The deletion was authorized, and the change of the schedules follows from it.
  const following = tx.as(systemActor(tx.actor));
  for (const schedule of schedules) {
    following.record({
      ...scheduleChange('updateSchedule', 'removed actions of', schedule),
      before: audited(schedule, before.get(schedule.id) ?? []),
      after: audited(schedule, after.get(schedule.id) ?? []),
    });
  }
}
