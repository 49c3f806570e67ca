// Lists the alerts of a repository by its new owner or default branch, in short transactions.
import type { Kernel } from '../../kernel/kernel.ts';
import { findLastAlert, updateListed } from './store-organization-alerts.ts';
import { lockScanning } from './store-uploads.ts';

/** Alerts of one transaction, each on all of its refs. */
const AT_ONCE = 100;

/** Alerts that are created meanwhile are listed as they should be: they wait for the lock, and see the change. */
export async function relistAlerts(
  { db }: Pick<Kernel, 'db'>,
  repositoryNumber: number,
  signal: AbortSignal,
): Promise<void> {
  const last = await findLastAlert(db, repositoryNumber);
  for (let start = 1; start <= last; start += AT_ONCE) {
    signal.throwIfAborted();
    await db.transaction().execute(async (tx) => {
      await lockScanning(tx, repositoryNumber);
      await updateListed(tx, repositoryNumber, { start, end: start + AT_ONCE });
    });
  }
}
