// The one way in which reactions come and go: the row, and the counts of the subject, in one transaction.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { issueNotFound, requireOpenConversation, type OpenedIssues } from '../issues/access.ts';
import type { ReactionContent, ReactionCounts } from '../issues/issue.ts';
import { lockIssue } from '../issues/store.ts';
import { countsAfter, type Reaction, type ReactionSubject } from './model.ts';
import {
  deleteReaction,
  findReaction,
  findReactionCounts,
  insertReaction,
  updateReactionCounts,
} from './store.ts';

/** A subject, and the issue or pull request that it belongs to. */
export interface OpenedSubject extends Pick<OpenedIssues, 'role'> {
  subject: ReactionSubject;
  issueId: number;
}

/** `isNew` is false where the account has reacted so already, which changes nothing. */
export async function addReaction(
  tx: ChangeTransaction,
  opened: OpenedSubject,
  accountId: string,
  content: ReactionContent,
): Promise<{ reaction: Reaction; isNew: boolean }> {
  const { subject, issueId } = opened;
  const counts = await lockSubject(tx, opened);
  const fields = { issueId, accountId, content, createdAt: tx.actor.now };
  const reaction = await insertReaction(tx.db, subject, fields);
  if (reaction === undefined)
    return { reaction: (await findReaction(tx.db, subject, { accountId, content }))!, isNew: false };
  await updateReactionCounts(tx.db, subject, countsAfter(counts, content, 1));
  return { reaction, isNew: true };
}

/** Nobody takes back the reaction of another. */
export async function removeReaction(
  tx: ChangeTransaction,
  opened: OpenedSubject,
  accountId: string,
  id: number,
): Promise<void> {
  const { subject } = opened;
  const counts = await lockSubject(tx, opened);
  const reaction = await findReaction(tx.db, subject, id);
  if (reaction === undefined) throw new Failure('not-found', 'There is no such reaction');
  if (reaction.accountId !== accountId)
    throw new Failure('denied', 'You may not take back a reaction of somebody else.');
  await deleteReaction(tx.db, id);
  await updateReactionCounts(tx.db, subject, countsAfter(counts, reaction.content, -1));
}

/** Counts are true because they change under the lock of the issue, whatever the subject is. */
async function lockSubject(
  { db }: ChangeTransaction,
  { subject, issueId, role }: OpenedSubject,
): Promise<ReactionCounts> {
  const issue = await lockIssue(db, issueId);
  if (issue === undefined) throw issueNotFound();
  requireOpenConversation({ issue, role });
  const counts = await findReactionCounts(db, subject);
  if (counts === undefined) throw new Failure('not-found', 'There is no such subject');
  return counts;
}
