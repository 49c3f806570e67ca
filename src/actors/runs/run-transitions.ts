// The transitions of a run that its node makes, each in a transaction that holds the job.
import type { Kernel } from '../../kernel/kernel.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { LeaseLost, type Job, type JobStatus } from '../jobs/job.ts';
import { deleteJob } from '../jobs/store.ts';
import { markLogEnded } from '../logs/store.ts';
import { listRunWebhooks, recordRunEvent } from '../webhooks/record-event.ts';
import type { Run, RunStats } from './model.ts';
import { lockHeldRun, updateRun } from './store.ts';
import { insertRunStep, type StepKind } from './store-steps.ts';

/** How the last process of a run has ended. */
export interface RunEnd {
  /** Null when a signal ended it, or when there was none. */
  code: number | null;
  /** Where the exit code does not tell: a run in standby mode that is not needed has done all it was for. */
  isSuccess?: true;
  /** The server has aborted it. */
  isAborted?: true;
  /** Where the exit code does not tell. */
  message?: string;
  /** What the last process has used. */
  usage?: Partial<RunStats>;
}

/** An abort or a time-out that came first decides, whatever the exit code is. */
const ENDINGS: Partial<Record<JobStatus, JobStatus>> = { ABORTING: 'ABORTED', 'TIMING-OUT': 'TIMED-OUT' };

/** Why a process starts: the first of this claim, or after another one. */
export type ProcessBegin = 'first' | 'reboot' | 'metamorph' | 'restart';

const STEPS: Record<ProcessBegin, StepKind> = {
  first: 'started',
  reboot: 'rebooted',
  metamorph: 'metamorphosed',
  restart: 'restarted',
};

/**
 * The run has a new process, whose token is the only valid one. Undefined where the run is to be ended instead. A job that is
 * claimed again while its run was running is a migration: same run, same storages.
 */
export async function beginProcess(
  kernel: Kernel,
  job: Job,
  tokenHash: string,
  begin: ProcessBegin,
): Promise<Run | undefined> {
  return await whileHeld(kernel, job, async (tx, run) => {
    if (ENDINGS[run.status] !== undefined) return undefined;
    if (run.timeoutAt !== null && kernel.clock.now() >= run.timeoutAt) {
      await updateRun(tx, run.id, { status: 'TIMING-OUT' });
      await insertRunStep(tx, run.id, 'timing-out', kernel.clock.now());
      return undefined;
    }
    const { stats, options } = run;
    const isMigration = begin === 'first' && run.status !== 'READY';
    const changes = {
      status: 'RUNNING' as const,
      tokenHash,
      isServerReady: false,
      timeoutAt:
        run.timeoutAt ?? (options.timeoutSecs === 0 ? null : kernel.clock.now() + options.timeoutSecs * 1000),
      stats: {
        ...stats,
        migrationCount: stats.migrationCount + (isMigration ? 1 : 0),
        rebootCount: stats.rebootCount + (begin === 'reboot' ? 1 : 0),
        restartCount: stats.restartCount + (begin === 'restart' ? 1 : 0),
      },
    };
    await updateRun(tx, run.id, changes);
    await insertRunStep(tx, run.id, isMigration ? 'migrated' : STEPS[begin], kernel.clock.now());
    return { ...run, ...changes };
  });
}

export async function markTimingOut(kernel: Kernel, job: Job): Promise<void> {
  await whileHeld(kernel, job, async (tx, run) => {
    if (run.status !== 'RUNNING') return;
    await updateRun(tx, run.id, { status: 'TIMING-OUT' });
    await insertRunStep(tx, run.id, 'timing-out', kernel.clock.now());
  });
}

export async function saveUsage(kernel: Kernel, job: Job, used: Partial<RunStats>): Promise<void> {
  await whileHeld(kernel, job, async (tx, { id, stats }) => {
    await updateRun(tx, id, { stats: addUsage(stats, used) });
  });
}

function addUsage(stats: RunStats, used: Partial<RunStats>): RunStats {
  return { ...stats, ...used, runTimeMs: stats.runTimeMs + (used.runTimeMs ?? 0) };
}

const ENDED_RUNS = {
  name: 'runs_ended_total',
  help: 'Runs of Actors that this node has executed to their end',
};

/** Saves the end of the run, whose log is closed, and ends its job. False if the lease was lost meanwhile. */
export async function endRun(kernel: Kernel, job: Job, end: RunEnd): Promise<boolean> {
  try {
    let status: JobStatus | undefined;
    await whileHeld(kernel, job, async (tx, run) => {
      status = ENDINGS[run.status] ?? statusOf(end);
      const used = { ...run, stats: addUsage(run.stats, end.usage ?? {}) };
      const now = kernel.clock.now();
      const [webhooks, after] = await awaitAll([
        listRunWebhooks(tx, run),
        finishRun(tx, used, status, end, now),
        markLogEnded(tx, run.id),
        deleteJob(tx, job),
      ]);
      await recordRunEvent(tx, webhooks, after, 'ended', now);
    });
    kernel.metrics.add(ENDED_RUNS, `status="${status}"`);
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) return false;
    throw error;
  }
}

function statusOf({ code, isSuccess, isAborted }: RunEnd): JobStatus {
  if (isAborted) return 'ABORTED';
  return code === 0 || isSuccess ? 'SUCCEEDED' : 'FAILED';
}

/** Belongs into the transaction that ends the job, which must also record the event. Returns the run as it is then. */
export async function finishRun(
  tx: Db,
  run: Run,
  status: JobStatus,
  { code, message }: RunEnd,
  now: number,
): Promise<Run> {
  const changes = {
    status,
    finishedAt: now,
    exitCode: status === 'SUCCEEDED' || status === 'FAILED' ? code : null,
    stats: { ...run.stats, memCurrentBytes: 0, cpuCurrentUsage: 0 },
    ...(!run.isMessageTerminal && { statusMessage: message ?? messageOf(status, code) }),
  };
  await updateRun(tx, run.id, { ...changes, tokenHash: null });
  const after = { ...run, ...changes };
  const { exitCode, statusMessage: ending } = after;
  await insertRunStep(tx, run.id, 'finished', now, { status, exitCode, message: ending });
  return after;
}

function messageOf(status: JobStatus, code: number | null): string {
  switch (status) {
    case 'ABORTED':
      return 'Actor run was aborted';
    case 'TIMED-OUT':
      return 'Actor run timed out';
    case 'SUCCEEDED':
      return 'Actor succeeded with exit code 0';
    default:
      return code === null ? 'Actor process was ended by a signal' : `Actor failed with exit code ${code}`;
  }
}

/** Calls `work` with the locked run, unless the lease is lost. The job is locked first, as everywhere. */
async function whileHeld<T>({ db }: Kernel, job: Job, work: (tx: Db, run: Run) => Promise<T>): Promise<T> {
  return await db.transaction().execute(async (tx) => {
    const run = await lockHeldRun(tx, job);
    if (run === undefined) throw new LeaseLost('Another node may have the job, or the run is gone.');
    return await work(tx, run);
  });
}
