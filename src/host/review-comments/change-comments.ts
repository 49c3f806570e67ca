// The one way in which comments on lines become visible, change and go: rows, counts, threads, the timeline and webhooks, in one transaction.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { COMMENT_ON_ISSUE, type OpenedIssues } from '../issues/access.ts';
import { auditChangeByAnother, updateTimeOf, lockConversation, touchIssue } from '../issues/conversation.ts';
import { subscribedBy } from '../issues/lists/facets.ts';
import type { Issue } from '../issues/issue.ts';
import { addFacets } from '../issues/lists/store-facets.ts';
import { scheduleSync } from '../pulls/schedule-work.ts';
import { findPull } from '../pulls/store.ts';
import { subjectOf } from '../reactions/model.ts';
import { deleteReactionsOf } from '../reactions/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Review } from '../reviews/review.ts';
import { recordReferences } from '../texts/record-references.ts';
import { deleteIssueEvent, insertIssueEvents, type NewIssueEvent } from '../timeline/store.ts';
import { recordCommentActions } from './record-comments.ts';
import {
  isCommentVisibleTo,
  MAX_COMMENTS_AT_ONCE,
  reviewCommentNotFound,
  type PlacedComment,
  type ReviewComment,
} from './review-comment.ts';
import { deleteEmptyThreads } from './store-threads.ts';
import {
  addToReviewCommentCount,
  deleteReviewComments,
  findReviewComment,
  insertReviewComments,
  listCommentsOfReview,
  publishComments,
  updateReviewComment,
} from './store.ts';

const LINE_COMMENTED = 'line-commented';

/** Of a new review, which begin threads. Where it is not pending, everybody sees them. The caller has locked the issue. */
export async function addReviewComments(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  review: Review,
  placed: readonly PlacedComment[],
): Promise<ReviewComment[]> {
  const comments = await insertReviewComments(tx.db, review, placed, issue, tx.actor.now);
  await followHead(tx, issue, placed);
  if (review.state !== 'PENDING') await showNewComments(tx, found, issue, comments);
  return comments;
}

/** Due work finds the lines of comments on older commits in the changes of the head, also where it has just moved. */
export async function followHead(
  { db, actor }: ChangeTransaction,
  { id }: Issue,
  comments: readonly Pick<ReviewComment, 'commitId' | 'position'>[],
): Promise<void> {
  const pull = await findPull(db, id);
  const isBehind = comments.some(({ commitId, position }) => position !== null && commitId !== pull?.headSha);
  if (isBehind) await scheduleSync(db, id, actor.now);
}

/** Of a pending review that is submitted. The caller has locked the issue. */
export async function publishReviewComments(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  { id }: Review,
): Promise<void> {
  const pending = await listAll(tx, id);
  if (pending.length === 0) return;
  await publishComments(tx.db, id, tx.actor.now);
  const shown = pending.map((one) => ({ ...one, isPending: false, updatedAt: tx.actor.now }));
  await showNewComments(tx, found, issue, shown);
}

/** Of a pending review that is deleted: nobody has seen them. The caller has locked the issue. */
export async function removePendingComments(tx: ChangeTransaction, { id }: Review): Promise<void> {
  const comments = await listAll(tx, id);
  await deleteReviewComments(
    tx.db,
    comments.map((one) => one.id),
  );
  await deleteEmptyThreads(
    tx.db,
    comments.map(({ threadId }) => threadId),
  );
}

async function listAll({ db }: ChangeTransaction, reviewId: number): Promise<ReviewComment[]> {
  return await listCommentsOfReview(db, reviewId, { offset: 0, limit: MAX_COMMENTS_AT_ONCE });
}

/** Counts, the timeline, lists and webhooks. Whoever comments subscribes. The caller has locked the issue. */
export async function showNewComments(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  comments: readonly ReviewComment[],
): Promise<void> {
  const { db, actor } = tx;
  if (comments.length === 0) return;
  await addToReviewCommentCount(db, issue.id, comments.length);
  const changed = await touchIssue(tx, issue);
  const authors = new Set(comments.flatMap(({ author }) => author.id ?? []));
  await addFacets(db, changed, [...authors].map(subscribedBy));
  const threads = comments.flatMap(({ threadId, inReplyTo, author }): NewIssueEvent[] =>
    inReplyTo === null
      ? [{ event: LINE_COMMENTED, isListed: false, actorId: author.id, subjectId: threadId }]
      : [],
  );
  await insertIssueEvents(db, changed, threads, actor.now);
  for (const { body } of comments) await recordReferences(tx, found, changed, body);
  await recordCommentActions(
    tx,
    found,
    changed,
    comments.map((comment) => ({ action: 'created', comment })),
  );
}

/** The same text changes nothing and is not recorded; nor is a comment that nobody else sees. */
export async function editReviewComment(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: Pick<ReviewComment, 'id' | 'issueId'>,
  body: string,
): Promise<ReviewComment> {
  const issue = await lockConversation(tx, opened, issueId);
  const comment = await readComment(tx, issue, id);
  if (comment.body === body) return comment;
  const changed = await updateReviewComment(tx.db, comment, { body, updatedAt: updateTimeOf(tx, comment) });
  if (comment.isPending) return changed;
  const touched = await touchIssue(tx, issue);
  await recordReferences(tx, opened, touched, body);
  const changes = { body: { from: comment.body } };
  await recordCommentActions(tx, opened, touched, [{ action: 'edited', comment: changed, changes }]);
  auditComment(tx, opened, comment, 'changed');
  return changed;
}

/** Its reactions go with it, and its thread where it was the last one. */
export async function removeReviewComment(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: Pick<ReviewComment, 'id' | 'issueId'>,
): Promise<void> {
  const { db } = tx;
  const issue = await lockConversation(tx, opened, issueId);
  const comment = await readComment(tx, issue, id);
  await deleteReviewComments(db, [id]);
  await deleteReactionsOf(db, subjectOf('review-comment', id));
  const [thread] = await deleteEmptyThreads(db, [comment.threadId]);
  if (thread !== undefined) await deleteIssueEvent(db, issueId, { event: LINE_COMMENTED, subjectId: thread });
  if (comment.isPending) return;
  await addToReviewCommentCount(db, issueId, -1);
  const touched = await touchIssue(tx, issue);
  await recordCommentActions(tx, opened, touched, [{ action: 'deleted', comment }]);
  auditComment(tx, opened, comment, 'deleted');
}

/** Another call may have deleted it before the issue was locked. */
export async function readComment(
  tx: ChangeTransaction,
  { repositoryNumber }: Issue,
  id: number,
): Promise<ReviewComment> {
  const { caller } = tx.actor;
  const comment = await findReviewComment(tx.db, repositoryNumber, id);
  if (comment === undefined || !isCommentVisibleTo(comment, caller && accountOf(caller).id))
    throw reviewCommentNotFound();
  return comment;
}

function auditComment(
  tx: ChangeTransaction,
  found: FoundRepository,
  { id, pullNumber, author }: ReviewComment,
  verb: 'changed' | 'deleted',
): void {
  auditChangeByAnother(tx, found, {
    action: COMMENT_ON_ISSUE.action,
    author,
    verb: `${verb} a comment of somebody else on pull request ${pullNumber} of`,
    before: { comment: id },
  });
}
