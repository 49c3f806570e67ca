// Aborts and removes runs, with their logs and unnamed storages; old ones are removed now and then.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import { isFinished } from '../jobs/job.ts';
import { deleteWaitingJob, requestControl } from '../jobs/store.ts';
import { endLog, deleteLog } from '../logs/store.ts';
import { listRunWebhooks, recordRunEvent } from '../webhooks/record-event.ts';
import { removeStorage } from '../storages/routes.ts';
import { lockStorage } from '../storages/store.ts';
import { STORAGE_CHANNEL } from '../storages/access.ts';
import { deleteWebhooksOfRun } from '../webhooks/store.ts';
import { RETENTION_SWEEP_MS, sweepFinished } from '../jobs/retention.ts';
import { runNotFound } from './access.ts';
import { type Run, storageIdsOf } from './model.ts';
import { finishRun } from './run-transitions.ts';
import { lockRun, updateRun, deleteRun } from './store.ts';
import { insertRunStep } from './store-steps.ts';

/**
 * A finished run stays as it is. One that waits for a node ends at once; otherwise its node ends it. `why` writes the status
 * message, where the server has a reason of its own.
 */
export async function abortRun(
  kernel: Kernel,
  id: string,
  gracefully: boolean,
  now: number,
  why?: (run: Run) => string,
): Promise<Run> {
  return await kernel.db.transaction().execute(async (tx) => {
    const stopJob = async (): Promise<'waiting' | 'notified' | 'absent'> => {
      // This locks it, so that no node claims it or gives it back meanwhile.
      if (!(await requestControl(tx, id, gracefully ? 'abort-gracefully' : 'abort'))) return 'absent';
      return (await deleteWaitingJob(tx, id)) ? 'waiting' : 'notified';
    };
    // The job before the run, in the same order as the node that executes it.
    let job = await stopJob();
    const run = await lockRun(tx, id);
    if (run === undefined) throw runNotFound();
    if (isFinished(run.status)) return run;
    // It was resurrected since, and its node would not hear of the abort.
    if (job === 'absent') job = await stopJob();
    if (job !== 'notified') {
      const [webhooks, after] = await awaitAll([
        listRunWebhooks(tx, run),
        finishRun(tx, run, 'ABORTED', { code: null, ...(why && { message: why(run) }) }, now),
        endLog(tx, id),
      ]);
      await recordRunEvent(tx, webhooks, after, 'ended', now);
      return after;
    }
    const changes = {
      status: 'ABORTING' as const,
      // Kept when its node ends it.
      ...(why && !run.isMessageTerminal && { statusMessage: why(run), isMessageTerminal: true }),
    };
    if (run.status !== 'ABORTING') {
      await updateRun(tx, id, changes);
      await insertRunStep(tx, id, 'aborting', now, { isGraceful: gracefully });
    }
    return { ...run, ...changes };
  });
}

/** Refuses one that has not finished. */
export async function removeFinishedRun(kernel: Kernel, id: string, now: number): Promise<void> {
  await kernel.db.transaction().execute(async (tx) => {
    const run = await lockRun(tx, id);
    if (run === undefined) throw runNotFound();
    if (!isFinished(run.status)) {
      throw new Failure('invalid', 'A run that has not finished cannot be deleted. Abort it first.', {
        code: 'cannot-remove-running-run',
      });
    }
    await removeRun(tx, run, now);
  });
}

/** A storage that was given a name since is kept, and so is one that was used at `unusedSince` or later. */
export async function removeRun(tx: Db, run: Run, now: number, unusedSince = Infinity): Promise<void> {
  await removeRunStorages(tx, run, now, unusedSince);
  await deleteLog(tx, run.id, now);
  // Those that listen to this run alone can fire no more. What they have sent already is retried all the same.
  await deleteWebhooksOfRun(tx, run.id);
  await deleteRun(tx, run);
}

async function removeRunStorages(tx: Db, run: Run, now: number, unusedSince = Infinity): Promise<void> {
  for (const id of Object.values(storageIdsOf(run)).flatMap((ids) => Object.values(ids))) {
    const storage = await lockStorage(tx, id);
    if (storage?.name === null) await removeStorage(tx, storage, now, unusedSince);
  }
  await notifyOnCommit(tx, STORAGE_CHANNEL);
}

export function runRetention(kernel: Kernel): RecurringWork {
  const remove = (id: string, finishedBefore: number) => removeOldRun(kernel, id, finishedBefore);
  return {
    kind: 'runs.retention',
    everyMs: RETENTION_SWEEP_MS,
    run: (signal) => sweepFinished(kernel, 'runs', remove, signal),
  };
}

/** Unless it was resurrected meanwhile. Storages that were used since are left to their own retention. */
async function removeOldRun({ db, clock }: Kernel, id: string, finishedBefore: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const run = await lockRun(tx, id);
    if (run === undefined || run.finishedAt === null || run.finishedAt >= finishedBefore) return;
    await removeRun(tx, run, clock.now(), finishedBefore);
  });
}
