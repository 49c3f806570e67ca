// Aborts and removes runs.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import { isFinished } from '../jobs/job-status.ts';
import { deleteWaitingJob, requestControl } from '../jobs/store.ts';
import { endLog } from '../logs/store.ts';
import { listRunWebhooks, recordRunEvent } from '../webhooks/record-event.ts';
import { runNotFound } from './access.ts';
import type { Run } from './model.ts';
import { removeRun } from './remove-run.ts';
import { finishRun } from './run-transitions.ts';
import { lockRun, updateRun } from './store.ts';

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
    if (run.status !== 'ABORTING') await updateRun(tx, id, changes);
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
