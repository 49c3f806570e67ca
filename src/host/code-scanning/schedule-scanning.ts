// The background work of code scanning in a repository: one row, whatever there is to do.
import { schedule } from '../../kernel/due-store.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** The payload is the number of the repository. */
export const PROCESS_SCANNING = 'host.process-sarif';

/** The caller has locked the scanning of the repository: the work ends under that lock, and only when nothing is left. */
export async function scheduleScanning(tx: Db, repositoryNumber: number, now: number): Promise<void> {
  const id = `${PROCESS_SCANNING}:${repositoryNumber}`;
  const payload = String(repositoryNumber);
  await schedule(tx, { id, kind: PROCESS_SCANNING, payload, dueAt: now }, now);
}
