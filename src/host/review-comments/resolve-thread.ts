// Threads are resolved and taken up again, by the author of the pull request and those who may write.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { isAuthor } from '../issues/access.ts';
import type { OpenedPull } from '../pulls/access.ts';
import { includesRole } from '../repositories/repository.ts';
import { lockConversation } from '../issues/conversation.ts';
import { recordThreadAction } from './record-comments.ts';
import { findThread, listThreadComments, updateThread, type ReviewThread } from './store-threads.ts';

/** Payloads have the first comments of a thread. */
const MAX_IN_PAYLOAD = 30;

/** The same state changes nothing and is not recorded. The actor is a caller. */
export async function changeResolution(
  tx: ChangeTransaction,
  opened: OpenedPull,
  threadId: number,
  isResolved: boolean,
): Promise<ReviewThread> {
  const caller = tx.actor.caller!;
  const issue = await lockConversation(tx, opened, opened.issue.id);
  const thread = await findThread(tx.db, threadId);
  const comments = await listThreadComments(tx.db, [threadId], { perThread: MAX_IN_PAYLOAD });
  const shown = comments.get(threadId) ?? [];
  if (thread?.issueId !== issue.id || shown.length === 0) throw threadNotFound();
  if (!isAuthor(caller, issue.author) && !includesRole(opened.role, 'write'))
    throw new Failure('denied', 'You may not resolve conversations of this pull request.');
  if (thread.isResolved === isResolved) return thread;
  const resolvedById = isResolved ? accountOf(caller).id : null;
  const changed = await updateThread(tx.db, thread, { isResolved, resolvedById });
  const action = isResolved ? 'resolved' : 'unresolved';
  await recordThreadAction(tx, opened, issue, { action, threadId, comments: shown });
  return changed;
}

export function threadNotFound(): Failure {
  return new Failure('not-found', 'There is no such thread');
}
