// The due row of a schedule: there is one while the schedule is enabled, for the moment that fires next.
import { schedule, type DueWork } from '../../kernel/jobs/due-store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Schedule } from './model.ts';

export const FIRE_SCHEDULE = 'actors.fire-schedule';

/** Belongs into the transaction that changes `nextRunAt`. It revokes the claim of a firing that goes on. */
export async function updateDue(
  tx: Db,
  { id, nextRunAt }: Pick<Schedule, 'id' | 'nextRunAt'>,
  now: number,
): Promise<void> {
  const dueId = `${FIRE_SCHEDULE}:${id}`;
  if (nextRunAt === null) {
    await tx.deleteFrom('due').where('id', '=', dueId).execute();
    return;
  }
  const work: DueWork = { id: dueId, kind: FIRE_SCHEDULE, payload: id, dueAt: nextRunAt };
  await schedule(tx, work, now, 'move');
}
