// What closing and reopening mean for a pull request: its branches become free for another, or must be free.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Issue } from '../issues/issue.ts';
import { openKeyOf, pullRefused, UNCHECKED } from './pull.ts';
import { scheduleMergeCheck, scheduleSync } from './schedule-work.ts';
import { findPull, isKeyOpen, updateOpenKey, updatePull } from './store.ts';

/** The caller has locked the repository, and the issue has its new state. What was pushed while it was closed is looked at afterwards. */
export async function movePull({ db, actor }: ChangeTransaction, issue: Issue): Promise<void> {
  const pull = await findPull(db, issue.id);
  if (pull === undefined) return;
  const isOpen = issue.state === 'open';
  if (isOpen && pull.mergedAt !== null)
    throw pullRefused('cannot be changed. The pull request was merged.', 'state', 'invalid');
  if (isOpen && (await isKeyOpen(db, openKeyOf(pull))))
    throw pullRefused(
      'cannot be changed. Another pull request of the same branches is open.',
      'state',
      'invalid',
    );
  await updateOpenKey(db, pull, isOpen);
  // What was found out about merging does not follow the branches of a closed one, and its reference goes.
  await updatePull(db, pull, UNCHECKED);
  await scheduleMergeCheck(db, pull, actor.now);
  if (isOpen) await scheduleSync(db, issue.id, actor.now);
}
