// The keys by which repeated charges of a run count once.
import { createHash } from 'node:crypto';
import type { Db } from '../../kernel/storage/tables.ts';

const KEPT_MS = 3 * 60 * 1000;

/** False if the same key was used in the last minutes. The caller holds the row of the run. */
export async function addCharge(tx: Db, runId: string, key: string, now: number): Promise<boolean> {
  await tx
    .deleteFrom('run_charges')
    .where('run_id', '=', runId)
    .where('charged_at', '<=', now - KEPT_MS)
    .execute();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('run_charges')
    // A header may be longer than an index can hold.
    .values({ run_id: runId, key: createHash('sha256').update(key).digest('hex'), charged_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
