// Removes an analysis in short transactions: other writes wait for none of them, and due work goes on after a crash.
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis } from './analysis.ts';
import { beginDeleting, deleteSome, findDeleting, findPrevious } from './store-deleting.ts';
import { lockScanning } from './store-uploads.ts';
import { scheduleScanning } from './schedule-scanning.ts';

/** Results of one transaction. */
const AT_ONCE = 100;

/** Who begins a deletion also finishes it, unless killed: then background work goes on. */
const RESCUE_MS = 10_000;

/** Does what is left of deletions in the repository, also of those that other processes have begun. */
export async function finishDeletions(
  { db, clock }: Pick<Kernel, 'db' | 'clock'>,
  repositoryNumber: number,
  signal?: AbortSignal,
): Promise<void> {
  while ((await findDeleting(db, repositoryNumber)) !== undefined) {
    signal?.throwIfAborted();
    await db.transaction().execute(async (tx) => {
      await lockScanning(tx, repositoryNumber);
      const deleting = await findDeleting(tx, repositoryNumber);
      if (deleting !== undefined) await deleteSome(tx, deleting, AT_ONCE, clock.now());
    });
    passCheckpoint('removed some of an analysis');
  }
}

/**
 * In the transaction of the change, which has locked the scanning of the repository; `finishDeletions` does the rest.
 * Returns the number of the analysis before it.
 */
export async function beginDeletion(
  tx: Db,
  analysis: Pick<Analysis, 'number' | 'setNumber' | 'repositoryNumber'>,
  now: number,
): Promise<number | undefined> {
  const previous = await findPrevious(tx, analysis);
  await beginDeleting(tx, analysis, previous);
  await scheduleScanning(tx, analysis.repositoryNumber, now, now + RESCUE_MS);
  return previous;
}
