// Finds a schedule, and checks that the caller may do something with it.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { scheduleNotFound, type Schedule } from './model.ts';
import { findSchedule } from './store.ts';

export type ScheduleAccess = 'viewSchedule' | 'updateSchedule' | 'deleteSchedule' | 'runSchedule';

export function scheduleResource({ id }: Pick<Schedule, 'id'>): string {
  return `schedule/${id}`;
}

/** A schedule of another account is reported as missing. */
export async function openSchedule(
  { db }: Pick<Kernel, 'db'>,
  call: Pick<Call, 'can'> & { caller: KnownCaller },
  id: string,
  action: ScheduleAccess,
): Promise<Schedule> {
  const schedule = id.includes('\0') ? undefined : await findSchedule(db, id);
  const isOwn = schedule !== undefined && schedule.userId === accountOf(call.caller).id;
  const isAllowed = call.can(isOwn ? scheduleResource(schedule) : 'schedule/*', action);
  if (!isOwn) throw scheduleNotFound();
  if (!isAllowed) throw scheduleDenied(action);
  return schedule;
}

export function scheduleDenied(action: string): Failure {
  return new Failure('denied', `Insufficient permissions for the schedule: ${action} is needed.`);
}
