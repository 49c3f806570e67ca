// What schedules the due work of issues.
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** Their repository has another owner. The payload is its number. */
export const MOVE_ISSUES = 'host.move-issues';

/** In the transaction of the transfer: the lists of owners follow it soon. Until then the issues are in no such list. */
export async function scheduleIssueMove(tx: Db, repositoryNumber: number, now: number): Promise<void> {
  const id = `${MOVE_ISSUES}:${repositoryNumber}`;
  await schedule(tx, { id, kind: MOVE_ISSUES, payload: String(repositoryNumber), dueAt: now }, now, 'move');
}
