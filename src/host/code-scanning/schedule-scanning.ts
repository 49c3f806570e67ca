// The background work of code scanning in a repository: uploads and deletions are one row, whatever there is to do.
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** The payload is the number of the repository. */
export const PROCESS_SCANNING = 'host.process-sarif';

/** Its repository has another owner or default branch. The payload is its number. */
export const RELIST_ALERTS = 'host.relist-alerts';

/** The caller has locked the scanning of the repository: the work ends under that lock, and only when nothing is left. */
export async function scheduleScanning(
  tx: Db,
  repositoryNumber: number,
  now: number,
  dueAt = now,
): Promise<void> {
  const id = `${PROCESS_SCANNING}:${repositoryNumber}`;
  const payload = String(repositoryNumber);
  await schedule(tx, { id, kind: PROCESS_SCANNING, payload, dueAt }, now, 'advance');
}

/** In the transaction of the change: the lists of organizations follow it soon. */
export async function scheduleRelisting(tx: Db, repositoryNumber: number, now: number): Promise<void> {
  const id = `${RELIST_ALERTS}:${repositoryNumber}`;
  const payload = String(repositoryNumber);
  await schedule(tx, { id, kind: RELIST_ALERTS, payload, dueAt: now }, now, 'move');
}
