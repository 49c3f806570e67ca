// Starts the run of one action, and records that it has: exactly once for each moment of its schedule.
import { actorOf } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { stringifyLarge } from '../../kernel/json/stringify.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { openActor } from '../actors/access.ts';
import type { SentInput } from '../input/prepare-input.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import { isFinished } from '../jobs/job.ts';
import type { Run } from '../runs/model.ts';
import { startRun } from '../runs/start-run.ts';
import { findRun } from '../runs/store.ts';
import { openTask } from '../tasks/access.ts';
import { startTaskRun } from '../tasks/start-task-run.ts';
import { toRunQuery, type ActionRunInput, type ScheduleAction } from './action.ts';
import { openInput } from './draft-actions.ts';
import type { LogLine, Schedule } from './model.ts';
import { lockSchedule, insertLogLine } from './store.ts';
import { lockAction, updateActionDone } from './store-actions.ts';

export interface Firing {
  schedule: Schedule;
  /** When it was to fire: `nextRunAt` of the schedule, unless it was invoked by a call. */
  moment: number;
  isInvoked: boolean;
  /** Whose permissions the runs have, and whose account they belong to. */
  caller: KnownCaller;
}

/** The schedule was changed or deleted since the firing began, or another process has ended it. */
export const FIRING_IS_OVER = new Error('The firing of the schedule is over.');
const IS_DONE = new Error('The action was deleted, or another process has done it.');
const IS_RUNNING = new Error('The previous run of the action has not finished.');

/** Failures that may not occur when it is tried again. */
const TRANSIENT: readonly Failure['kind'][] = ['internal', 'unavailable', 'conflict', 'timeout'];

/**
 * Throws `FIRING_IS_OVER`, and errors that may not occur when it is tried again, unless it is the last attempt. All others
 * become a line in the log of the schedule.
 */
export async function runAction(
  kernel: Kernel,
  firing: Firing,
  action: ScheduleAction,
  isLastAttempt: boolean,
): Promise<void> {
  const { lastRunId } = action;
  try {
    if (firing.schedule.isExclusive && (await isRunning(kernel.db, lastRunId))) throw IS_RUNNING;
    await startAction(kernel, firing, action);
  } catch (error) {
    if (error === IS_DONE) return;
    if (error === FIRING_IS_OVER) throw error;
    const isExpected = error === IS_RUNNING || (error instanceof Failure && !TRANSIENT.includes(error.kind));
    if (!isExpected && !isLastAttempt) throw error;
    if (!isExpected)
      kernel.log.error({ err: error, schedule: firing.schedule.id }, 'a schedule cannot start a run');
    await skipAction(kernel, firing, action, lineFor(action, error));
  }
}

function lineFor(action: ScheduleAction, error: unknown): Pick<LogLine, 'level' | 'message'> {
  if (error === IS_RUNNING) {
    return { level: 'WARNING', message: `${nameOf(action)} was skipped: its previous run has not finished.` };
  }
  const reason = error instanceof Failure ? error.message : 'an error of the server';
  return { level: 'ERROR', message: `${nameOf(action)} was not started: ${reason}` };
}

function nameOf({ type, targetId }: ScheduleAction): string {
  return type === 'RUN_ACTOR' ? `The Actor ${targetId}` : `The task ${targetId}`;
}

/** A run that is being aborted counts as finished. */
async function isRunning(db: Db, runId: string | null): Promise<boolean> {
  const run = runId === null ? undefined : await findRun(db, runId);
  return run !== undefined && !isFinished(run.status) && run.status !== 'ABORTING';
}

async function startAction(kernel: Kernel, firing: Firing, action: ScheduleAction): Promise<Run> {
  const { schedule, moment, caller } = firing;
  const now = kernel.clock.now();
  const meta: JobMeta = {
    origin: 'SCHEDULER',
    initiator: await kernel.identity.initiatorOf(caller, now),
    scheduleId: schedule.id,
    scheduledAt: new Date(moment).toISOString(),
  };
  const start = {
    caller,
    meta,
    query: toRunQuery(action.runOptions),
    input: await sentInputOf(kernel, action),
    inSameTransaction: (tx: Db, run: Run) => recordRun(tx, firing, action, run),
  };
  // The permissions are asked for again: they may have changed since the schedule was saved.
  const by = { ...actorOf(caller, now), caller };
  if (action.type === 'RUN_ACTOR') {
    const actor = await openActor(kernel, by, action.targetId, 'runActor');
    return await startRun(kernel, { ...start, actor }, now);
  }
  const task = await openTask(kernel, by, action.targetId, 'runTask');
  return await startTaskRun(kernel, { ...start, task }, now);
}

async function sentInputOf(kernel: Kernel, action: ScheduleAction): Promise<SentInput> {
  const input = await openInput(kernel, action);
  if (input === null) return {};
  if (action.type === 'RUN_ACTOR_TASK')
    return { body: await stringifyLarge(input), contentType: 'application/json; charset=utf-8' };
  const { body, contentType } = input as ActionRunInput;
  return {
    ...(body != null && { body: Buffer.from(body) }),
    ...(contentType != null && { contentType }),
  };
}

/** In the transaction that creates the run: of two processes, only the first that commits has started it for this moment. */
async function recordRun(tx: Db, firing: Firing, action: ScheduleAction, run: Run): Promise<void> {
  const current = await lockUndone(tx, firing, action);
  const isOther = current.lastRunId !== action.lastRunId;
  if (firing.schedule.isExclusive && isOther && (await isRunning(tx, current.lastRunId))) throw IS_RUNNING;
  await updateActionDone(tx, action.id, { lastRunId: run.id, ...momentOf(firing) });
}

async function skipAction(
  kernel: Kernel,
  firing: Firing,
  action: ScheduleAction,
  line: Pick<LogLine, 'level' | 'message'>,
): Promise<void> {
  try {
    await kernel.db.transaction().execute(async (tx) => {
      await lockUndone(tx, firing, action);
      await insertLogLine(tx, firing.schedule.id, { ...line, createdAt: kernel.clock.now() });
      await updateActionDone(tx, action.id, momentOf(firing));
    });
  } catch (error) {
    if (error !== IS_DONE) throw error;
  }
}

/** Throws where the moment is over, or the action has been done for it. */
async function lockUndone(
  tx: Db,
  { schedule, moment, isInvoked }: Firing,
  { id }: ScheduleAction,
): Promise<ScheduleAction> {
  const current = await lockSchedule(tx, schedule.id);
  const isOver = !isInvoked && current?.nextRunAt !== moment;
  if (isOver || current?.userId !== schedule.userId) throw FIRING_IS_OVER;
  const action = await lockAction(tx, id);
  if (action === undefined || (!isInvoked && action.lastMoment === moment)) throw IS_DONE;
  return action;
}

function momentOf({ isInvoked, moment }: Firing): { lastMoment?: number } {
  return isInvoked ? {} : { lastMoment: moment };
}
