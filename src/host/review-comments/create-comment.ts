// Writes single comments on lines, and replies. Each comes with a review of its own, which says no more than that there is a comment.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { OpenedIssues } from '../issues/access.ts';
import { lockConversation } from '../issues/conversation.ts';
import type { Author, Issue } from '../issues/issue.ts';
import { pullRefused } from '../pulls/pull.ts';
import { recordReviewActions } from '../reviews/record-reviews.ts';
import type { Review } from '../reviews/review.ts';
import { insertReview } from '../reviews/store.ts';
import { insertIssueEvents } from '../timeline/store.ts';
import { addReviewComments, followHead, readComment, showNewComments } from './change-comments.ts';
import { reviewCommentNotFound, type PlacedComment, type ReviewComment } from './review-comment.ts';
import { insertReply } from './store.ts';

/** Beside a pending review of the same author, which it does not become a part of. */
export async function createReviewComment(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  issueId: number,
  { author, placed }: { author: Author; placed: PlacedComment },
): Promise<ReviewComment> {
  const issue = await lockConversation(tx, opened, issueId);
  const review = await addReview(tx, opened, issue, author, placed.commitId);
  return (await addReviewComments(tx, opened, issue, review, [placed]))[0]!;
}

/** A reply to a reply is one more in the same thread. */
export async function replyToComment(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: { id: number; issueId: number },
  { author, body }: { author: Author; body: string },
): Promise<ReviewComment> {
  const issue = await lockConversation(tx, opened, issueId);
  const root = await readComment(tx, issue, id);
  if (root.issueId !== issueId) throw reviewCommentNotFound();
  // Everybody would see the reply, and nobody but its author what it is about.
  if (root.isPending) throw pullRefused('is part of a pending review', 'in_reply_to', 'invalid');
  const review = await addReview(tx, opened, issue, author, root.commitId);
  const reply = await insertReply(tx.db, review, { root, body }, issue, tx.actor.now);
  await followHead(tx, issue, [reply]);
  await showNewComments(tx, opened, issue, [reply]);
  return reply;
}

async function addReview(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  issue: Issue,
  author: Author,
  commitId: string,
): Promise<Review> {
  const { now } = tx.actor;
  const times = { createdAt: now, submittedAt: now, updatedAt: now };
  const draft = { issueId: issue.id, author, state: 'COMMENTED' as const, body: '', commitId };
  const review = await insertReview(tx.db, { ...draft, ...times });
  const reviewed = {
    event: 'reviewed',
    isListed: false as const,
    actorId: author.id,
    subjectId: review.id,
  };
  await insertIssueEvents(tx.db, issue, [reviewed], now);
  await recordReviewActions(tx, opened, issue, [{ action: 'submitted', review }]);
  return review;
}
