// Charges a run for its events, and aborts it when its budget does not cover them.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { isFinished } from '../jobs/job-status.ts';
import { abortRun } from './change-run.ts';
import { chargeFor, ITEM_EVENT } from './charges.ts';
import type { Run } from './model.ts';
import { lockRun, updateRun } from './store.ts';

/** The caller holds the row of the run. Returns whether the run has to be aborted, which `abortOverBudget` does. */
export async function chargeRun(tx: Db, run: Run, event: string, count: number): Promise<boolean> {
  const { chargedEvents, isOverBudget } = chargeFor(run, event, count);
  await updateRun(tx, run.id, { chargedEvents });
  return isOverBudget && run.status !== 'ABORTING';
}

/**
 * Stores items of a run's default dataset and charges the run for them: both or neither. The row of the run is locked first,
 * so that pushes of many clients are charged one after another.
 */
export async function storeCharged(
  kernel: Kernel,
  { runId, count, now }: { runId: string; count: number; now: number },
  store: (tx: Db) => Promise<void>,
): Promise<void> {
  const isOverBudget = await kernel.db.transaction().execute(async (tx) => {
    const run = await lockRun(tx, runId);
    await store(tx);
    // What comes after its end is no result of the run.
    return run !== undefined && !isFinished(run.status) && (await chargeRun(tx, run, ITEM_EVENT, count));
  });
  if (isOverBudget) await abortOverBudget(kernel, runId, now);
}

/**
 * After the transaction that charges, because a job is locked before its run. It fails no call, as what is charged for is
 * stored: the next event that the budget does not cover aborts the run.
 */
export async function abortOverBudget(kernel: Kernel, runId: string, now: number): Promise<void> {
  const why = ({ options }: Run) =>
    `Actor run was aborted because it reached its maximum cost of $${options.maxTotalChargeUsd}`;
  try {
    await abortRun(kernel, runId, true, now, why);
  } catch (error) {
    kernel.log.warn({ err: error, run: runId }, 'cannot abort a run that is over its budget');
  }
}
