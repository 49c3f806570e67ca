// Fires schedules when they are due, each moment once; what was missed while no server ran is made up by one firing.
import { isDeepStrictEqual } from 'node:util';
import { systemActor } from '../../kernel/identity/actor.ts';
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import type { Due } from '../../kernel/jobs/due-store.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { audited, scheduleChange } from './change-schedule.ts';
import { scheduleNotFound, type Schedule } from './model.ts';
import { nextFiring } from './cron.ts';
import { FIRING_IS_OVER, runAction, type Firing } from './run-action.ts';
import {
  findSchedule,
  lockSchedule,
  updateFired,
  updateSchedule,
  FIRE_SCHEDULE,
  updateDue,
  deleteOldLogLines,
  insertLogLine,
} from './store.ts';
import { listActions } from './store-actions.ts';

/** After so many, an error of the server is logged, so that the schedule goes on with its next moment. */
const MAX_ATTEMPTS = 5;

export function scheduleWork(kernel: Kernel): BackgroundWork {
  return { handlers: { [FIRE_SCHEDULE]: (due, signal) => fireWhenDue(kernel, due, signal) } };
}

/** A firing that was interrupted goes on with the actions that are not done. */
async function fireWhenDue(kernel: Kernel, due: Due, signal: AbortSignal): Promise<void> {
  const now = kernel.clock.now();
  const schedule = await findSchedule(kernel.db, due.payload);
  const moment = schedule?.nextRunAt ?? null;
  if (schedule === undefined || moment === null) return;
  if (moment > now) {
    // The clock was set back since the row was claimed.
    await kernel.db.transaction().execute(async (tx) => {
      const current = await lockSchedule(tx, schedule.id);
      if (current !== undefined) await updateDue(tx, current, now);
    });
    return;
  }
  const caller = await callerOf(kernel, schedule, now);
  if (caller === undefined) return await disableSchedule(kernel, schedule, moment);
  const firing: Firing = { schedule, moment, isInvoked: false, caller };
  try {
    await runActions(kernel, firing, due.attempts >= MAX_ATTEMPTS, signal);
    await endFiring(kernel, firing);
  } catch (error) {
    // What ended it has moved the due row, too.
    if (error !== FIRING_IS_OVER) throw error;
  }
}

/** An error that may not occur when it is tried again is thrown after the other actions have had their turn. */
async function runActions(
  kernel: Kernel,
  firing: Firing,
  isLastAttempt: boolean,
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const action of await listActions(kernel.db, firing.schedule.id)) {
    if (action.lastMoment === firing.moment) continue;
    signal.throwIfAborted();
    try {
      await runAction(kernel, firing, action, isLastAttempt);
      passCheckpoint('fired an action');
    } catch (error) {
      if (error === FIRING_IS_OVER) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** The initiator is gone, so that runs would have nobody's permissions. A new owner may enable it again. */
async function disableSchedule(
  { changes, clock }: Kernel,
  { id, initiator }: Schedule,
  moment: number,
): Promise<void> {
  const now = clock.now();
  await changes.run(systemActor({ now }), async (tx) => {
    const { db } = tx;
    const before = await lockSchedule(db, id);
    if (before?.nextRunAt !== moment) return;
    // It is tried again as those of another, who has just changed it.
    if (!isDeepStrictEqual(before.initiator, initiator))
      throw new Failure('conflict', 'Somebody has changed the schedule meanwhile.');
    const schedule = await updateSchedule(db, id, { ...before, isEnabled: false, nextRunAt: null }, now);
    const message =
      'The schedule was disabled: the member or token that changed it last is gone. Enable it to run it with your permissions.';
    await insertLogLine(db, id, { level: 'ERROR', message, createdAt: now });
    await updateDue(db, schedule, now);
    const actions = await listActions(db, id);
    tx.record({
      ...scheduleChange('updateSchedule', 'disabled', schedule),
      before: audited(before, actions),
      after: audited(schedule, actions),
      comment: message,
    });
  });
}

/** Undefined where they are gone. */
async function callerOf(
  { db, identity }: Kernel,
  { initiator, userId }: Schedule,
  now: number,
): Promise<KnownCaller | undefined> {
  const caller = await identity.callerOf(db, initiator, now);
  return caller !== undefined && accountOf(caller).id === userId ? caller : undefined;
}

async function endFiring(kernel: Kernel, { schedule: { id }, moment }: Firing): Promise<void> {
  await kernel.db.transaction().execute(async (tx) => {
    const now = kernel.clock.now();
    const schedule = await lockSchedule(tx, id);
    if (schedule?.nextRunAt !== moment) throw FIRING_IS_OVER;
    const { cronExpression, timezone } = schedule;
    const nextRunAt = nextFiring(cronExpression, timezone, Math.max(moment, now)) ?? null;
    await updateFired(tx, id, { nextRunAt, lastRunAt: now });
    await endLog(tx, id, `The schedule fired for ${new Date(moment).toISOString()}.`, now);
    await updateDue(tx, { id, nextRunAt }, now);
  });
}

async function endLog(tx: Db, id: string, message: string, now: number): Promise<void> {
  await insertLogLine(tx, id, { level: 'INFO', message, createdAt: now });
  await deleteOldLogLines(tx, id);
}

/** Fires all actions now, with the permissions of the caller. The times of the schedule stay as they are. */
export async function invokeSchedule(kernel: Kernel, schedule: Schedule, caller: KnownCaller): Promise<void> {
  const { db, clock } = kernel;
  const firing: Firing = { schedule, moment: clock.now(), isInvoked: true, caller };
  for (const action of await listActions(db, schedule.id)) {
    try {
      await runAction(kernel, firing, action, false);
    } catch (error) {
      throw error === FIRING_IS_OVER ? scheduleNotFound() : error;
    }
  }
  await db.transaction().execute(async (tx) => {
    if ((await lockSchedule(tx, schedule.id)) === undefined) return;
    await endLog(tx, schedule.id, 'The schedule was invoked by a call.', clock.now());
  });
}
