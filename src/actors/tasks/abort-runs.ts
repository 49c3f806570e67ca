// Due work after a task was deleted: aborts its unfinished runs, which stay with their results.
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import type { Due } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { JobStatus } from '../jobs/job-status.ts';
import { abortRun } from '../runs/change-run.ts';
import { listRuns } from '../runs/store.ts';
import { ABORT_TASK_RUNS } from './change-task.ts';

const BATCH_SIZE = 100;
/** An abort changes each of these. */
const STATUSES: readonly JobStatus[] = ['READY', 'RUNNING', 'TIMING-OUT'];

export function taskWork(kernel: Kernel): BackgroundWork {
  return { handlers: { [ABORT_TASK_RUNS]: (due, signal) => abortTaskRuns(kernel, due, signal) } };
}

async function abortTaskRuns(kernel: Kernel, { payload }: Due, signal: AbortSignal): Promise<void> {
  const { id: taskId } = JSON.parse(payload) as { id: string };
  const slice = { offset: 0, limit: BATCH_SIZE };
  for (;;) {
    const { items } = await listRuns(kernel.db, { taskId }, { statuses: STATUSES }, slice, false);
    if (items.length === 0) return;
    for (const { id } of items) {
      signal.throwIfAborted();
      await abortRun(kernel, id, false, kernel.clock.now());
    }
  }
}
