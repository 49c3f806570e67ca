// Removes old runs with their logs and storages.
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { RETENTION_SWEEP_MS, sweepFinished } from '../jobs/retention.ts';
import { removeRun } from './remove-run.ts';
import { lockRun } from './store.ts';

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
