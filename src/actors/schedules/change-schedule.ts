// Creates, changes and deletes schedules, each in one transaction with its due row and its audit entry, and removes actions whose Actor or task is deleted.
import { type ChangeActor, systemActor } from '../../kernel/identity/actor.ts';
import type { Change } from '../../kernel/change/change.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { actorDenied } from '../actors/access.ts';
import { tooMany } from '../failures.ts';
import { titleOf } from '../resource-names.ts';
import { scheduleResource } from './access.ts';
import type { ScheduleAction } from './action.ts';
import { checkCron, nextFiring } from './cron.ts';
import { applyDrafts, draftActions, holdTargets, type ActionDraft } from './draft-actions.ts';
import {
  checkScheduleName,
  MAX_SCHEDULES,
  scheduleNameTaken,
  scheduleNotFound,
  type Schedule,
  type ScheduleFields,
  type SentSchedule,
} from './model.ts';
import {
  countSchedules,
  deleteSchedule,
  findFreeScheduleName,
  insertSchedule,
  isScheduleNameTaken,
  lockSchedule,
  lockScheduleNames,
  updateSchedule,
  updateDue,
} from './store.ts';
import {
  listActions,
  replaceActions,
  deleteActionsOfTarget,
  listActionTargets,
  listSchedulesOfTarget,
  lockSchedulesOfTarget,
} from './store-actions.ts';
import { checkTimeZone } from './time-zone.ts';

type Caller = ChangeActor & { caller: KnownCaller };

export interface ScheduleWithActions {
  schedule: Schedule;
  actions: ScheduleAction[];
}

const HOUR_MS = 3_600_000;

export async function createSchedule(
  kernel: Kernel,
  call: Caller,
  sent: SentSchedule,
): Promise<ScheduleWithActions> {
  const { caller, now } = call;
  const userId = accountOf(caller).id;
  checkSent(sent, now);
  const drafts = await draftActions(kernel, call, sent.actions ?? []);
  const initiator = await kernel.identity.initiatorOf(caller, now);
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    await shareLockAccount(db, caller);
    await lockScheduleNames(db, userId);
    if ((await countSchedules(db, userId)) >= MAX_SCHEDULES)
      throw tooMany('schedules', MAX_SCHEDULES, 'too-many-schedules');
    const name = sent.name ?? (await findFreeScheduleName(db, [userId], 'my-schedule'));
    if (await isScheduleNameTaken(db, userId, name)) throw scheduleNameTaken(name);
    const blank = { ...BLANK, title: titleOf(name), initiator };
    const fields = fieldsAfter(blank, { ...sent, name });
    const nextRunAt = nextRunAfter(undefined, fields, now);
    const schedule = await insertSchedule(db, userId, { ...fields, nextRunAt }, now);
    const actions = await saveActions(db, schedule.id, [], drafts, now);
    if (nextRunAt !== null) await updateDue(db, schedule, now);
    tx.record({
      ...scheduleChange('createSchedule', 'created', schedule),
      after: audited(schedule, actions),
    });
    return { schedule, actions };
  });
}

export async function changeSchedule(
  kernel: Kernel,
  call: Caller,
  opened: Schedule,
  sent: SentSchedule,
): Promise<ScheduleWithActions> {
  const { caller, now } = call;
  checkSent(sent, now);
  const drafts = sent.actions == null ? undefined : await draftActions(kernel, call, sent.actions);
  const initiator = await kernel.identity.initiatorOf(caller, now);
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    if (sent.name != null) await lockScheduleNames(db, opened.userId);
    const before = await lockOwnSchedule(db, opened);
    const actionsBefore = await listActions(db, before.id);
    if (sent.name != null && sent.name.toLowerCase() !== before.name.toLowerCase()) {
      if (await isScheduleNameTaken(db, before.userId, sent.name)) throw scheduleNameTaken(sent.name);
    }
    const fields = fieldsAfter({ ...before, initiator }, sent);
    if (fields.isEnabled && drafts === undefined) checkMayRun(call, sent, actionsBefore);
    const actions = await saveActions(db, before.id, actionsBefore, drafts, now);
    const nextRunAt = nextRunAfter({ schedule: before, actions: actionsBefore }, fields, now);
    const schedule = await updateSchedule(db, before.id, { ...fields, nextRunAt }, now);
    if (nextRunAt !== before.nextRunAt) await updateDue(db, schedule, now);
    tx.record({
      ...scheduleChange('updateSchedule', 'updated', schedule),
      before: audited(before, actionsBefore),
      after: audited(schedule, actions),
    });
    return { schedule, actions };
  });
}

export async function removeSchedule(kernel: Kernel, call: Caller, opened: Schedule): Promise<void> {
  await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    const before = await lockOwnSchedule(db, opened);
    const actions = await listActions(db, before.id);
    await updateDue(db, { id: before.id, nextRunAt: null }, call.now);
    await deleteSchedule(db, before.id);
    tx.record({ ...scheduleChange('deleteSchedule', 'deleted', before), before: audited(before, actions) });
  });
}

/** Locks the schedule that was opened before the transaction; it may be gone, or belong to somebody else by now. */
async function lockOwnSchedule(tx: Db, opened: Schedule): Promise<Schedule> {
  const schedule = await lockSchedule(tx, opened.id);
  if (schedule === undefined || schedule.userId !== opened.userId) throw scheduleNotFound();
  return schedule;
}

function checkSent({ name, cronExpression, timezone }: SentSchedule, now: number): void {
  if (name != null) checkScheduleName(name);
  if (cronExpression != null) checkCron(cronExpression, now);
  if (timezone != null) checkTimeZone(timezone);
}

/** A token that may run nothing must not make a schedule run more, or at other times: it would fail only when it fires. */
function checkMayRun(
  call: Pick<ChangeActor, 'can'>,
  { isEnabled, cronExpression, timezone, isExclusive }: SentSchedule,
  actions: readonly ScheduleAction[],
): void {
  if ([isEnabled, cronExpression, timezone, isExclusive].every((field) => field == null)) return;
  for (const { type, targetId } of actions) {
    const isAllowed =
      type === 'RUN_ACTOR'
        ? call.can(`actor/${targetId}`, 'runActor')
        : call.can(`actor-task/${targetId}`, 'runTask');
    if (!isAllowed) throw actorDenied();
  }
}

async function saveActions(
  tx: Db,
  scheduleId: string,
  before: ScheduleAction[],
  drafts: readonly ActionDraft[] | undefined,
  now: number,
): Promise<ScheduleAction[]> {
  if (drafts === undefined) return before;
  await holdTargets(tx, drafts);
  const actions = applyDrafts(before, drafts, now);
  await replaceActions(tx, scheduleId, actions);
  return actions;
}

const BLANK: Omit<ScheduleFields, 'initiator'> = {
  name: '',
  title: null,
  description: null,
  cronExpression: '@daily',
  timezone: 'UTC',
  isEnabled: false,
  isExclusive: true,
  sendsEmail: true,
  nextRunAt: null,
};

function fieldsAfter(before: ScheduleFields, sent: SentSchedule): ScheduleFields {
  return {
    name: sent.name ?? before.name,
    title: sent.title === undefined ? before.title : sent.title,
    description: sent.description === undefined ? before.description : sent.description,
    cronExpression: sent.cronExpression?.trim() ?? before.cronExpression,
    timezone: sent.timezone ?? before.timezone,
    isEnabled: sent.isEnabled ?? before.isEnabled,
    isExclusive: sent.isExclusive ?? before.isExclusive,
    sendsEmail: sent.notifications?.email ?? before.sendsEmail,
    initiator: before.initiator,
    nextRunAt: before.nextRunAt,
  };
}

/**
 * Stays where neither times nor zone change, so that a firing that is due is not lost. Never a moment that has fired, even
 * where the clock was set back; one that is far ahead was fired by a wrong clock.
 */
function nextRunAfter(
  before: ScheduleWithActions | undefined,
  { isEnabled, cronExpression, timezone }: ScheduleFields,
  now: number,
): number | null {
  if (!isEnabled) return null;
  const { schedule, actions = [] } = before ?? {};
  const isSame = schedule?.cronExpression === cronExpression && schedule.timezone === timezone;
  if (schedule?.isEnabled && isSame && schedule.nextRunAt !== null) return schedule.nextRunAt;
  const fired = Math.max(...actions.map(({ lastMoment }) => lastMoment ?? 0), 0);
  return nextFiring(cronExpression, timezone, fired > now && fired < now + HOUR_MS ? fired : now) ?? null;
}

export function scheduleChange(action: string, done: string, schedule: Schedule): Change {
  return {
    accesses: [{ action, resource: scheduleResource(schedule) }],
    kind: 'schedule',
    name: schedule.name,
    verb: `${done} the schedule`,
    ownerId: schedule.userId,
  };
}

/** Without inputs, which may have secrets. */
export function audited(schedule: Schedule, actions: readonly ScheduleAction[]) {
  const { id, name, title, description, cronExpression, timezone } = schedule;
  const { isEnabled, isExclusive, sendsEmail } = schedule;
  return {
    id,
    name,
    title,
    description,
    cronExpression,
    timezone,
    isEnabled,
    isExclusive,
    sendsEmail,
    actions: actions.map(({ id: actionId, type, targetId, runOptions }) => ({
      id: actionId,
      type,
      targetId,
      runOptions,
    })),
  };
}

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
