// The one way in which reviews are written, submitted, changed, deleted and dismissed: the row, requests, the timeline and webhooks, in one transaction.
import { actorIdOf, type ChangeTransaction } from '../../kernel/change/changes.ts';
import type { OpenedIssues } from '../issues/access.ts';
import { auditChangeByAnother, updateTimeOf, lockConversation, touchIssue } from '../issues/conversation.ts';
import { subscribedBy } from '../issues/lists/facets.ts';
import type { Author, Issue } from '../issues/issue.ts';
import { addFacets } from '../issues/lists/store-facets.ts';
import { checkedBody } from '../issues/requests.ts';
import { lockIssue } from '../issues/store.ts';
import { isApprovalStale, type JudgedApproval } from '../protection/stale-reviews.ts';
import { pullNotFound } from '../pulls/pull.ts';
import type { FoundRepository } from '../repositories/access.ts';
import {
  addReviewComments,
  publishReviewComments,
  removePendingComments,
} from '../review-comments/change-comments.ts';
import type { PlacedComment } from '../review-comments/review-comment.ts';
import { listCommentsOfReview } from '../review-comments/store.ts';
import { recordReferences } from '../texts/record-references.ts';
import { insertIssueEvents, type NewIssueEvent } from '../timeline/store.ts';
import { REVIEW_PULL } from './access.ts';
import { fulfilRequests } from './change-requests.ts';
import { recordReviewActions } from './record-reviews.ts';
import {
  checkedReviewBody,
  notDismissable,
  notPending,
  ownReviewRefused,
  secondPending,
  STATE_AFTER,
  type ReviewEvent,
} from './requests.ts';
import { isVisibleTo, reviewNotFound, type Review, type ReviewState } from './review.ts';
import {
  deleteReview,
  findPendingReview,
  findReview,
  insertReview,
  listLatestReviews,
  updateReview,
} from './store.ts';

export interface NewReview {
  author: Author & { id: string };
  body: string;
  commitId: string;
  /** Undefined for one that is pending. */
  event: ReviewEvent | undefined;
  comments: readonly PlacedComment[];
  /** Of one that approves. */
  judged?: JudgedApproval | undefined;
}

/** Whoever has one that is pending goes on with that. */
export async function createReview(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  issueId: number,
  { author, body, commitId, event, comments, judged }: NewReview,
): Promise<Review> {
  const { now } = tx.actor;
  const issue = await lockConversation(tx, opened, issueId);
  if ((await findPendingReview(tx.db, issueId, author.id)) !== undefined) throw secondPending();
  const draft = { issueId, author, body: checkedBody(body), commitId, createdAt: now, updatedAt: now };
  const pending = await insertReview(tx.db, { ...draft, state: 'PENDING', submittedAt: null });
  await addReviewComments(tx, opened, issue, pending, comments);
  return event === undefined ? pending : await submit(tx, opened, issue, pending, { event, body, judged });
}

/** Without a body, the review keeps that which it has. */
export async function submitReview(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: Pick<Review, 'id' | 'issueId'>,
  { body, ...submission }: Omit<Submission, 'body'> & { body: string | undefined },
): Promise<Review> {
  const issue = await lockConversation(tx, opened, issueId);
  const review = await readReview(tx, id);
  if (review.state !== 'PENDING') throw notPending('submit');
  return await submit(tx, opened, issue, review, { ...submission, body: body ?? review.body });
}

interface Submission extends Pick<NewReview, 'judged'> {
  event: ReviewEvent;
  body: string;
}

/** From here on it is everybody's. The caller has locked the issue. */
async function submit(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  issue: Issue,
  pending: Review,
  { event, body, judged }: Submission,
): Promise<Review> {
  const { db } = tx;
  const { now } = tx.actor;
  const state = STATE_AFTER[event];
  requireOther(issue, pending, state);
  const checked = checkedReviewBody(body, { state, hasComments: await hasComments(tx, pending) });
  const submitted = { state, body: checked, submittedAt: now, updatedAt: now };
  const review = await updateReview(db, pending, submitted);
  const changed = await touchIssue(tx, issue);
  const { id: authorId } = review.author;
  if (authorId !== null) {
    await addFacets(db, changed, [subscribedBy(authorId)]);
    await fulfilRequests(tx, issue.id, authorId);
  }
  const reviewed: NewIssueEvent = {
    event: 'reviewed',
    isListed: false,
    actorId: authorId,
    subjectId: review.id,
  };
  await insertIssueEvents(db, changed, [reviewed], now);
  await recordReferences(tx, opened, changed, review.body);
  await recordReviewActions(tx, opened, changed, [{ action: 'submitted', review }]);
  await publishReviewComments(tx, opened, changed, review);
  if (judged === undefined || !(await isApprovalStale(db, review, judged))) return review;
  return (await dismissReviews(tx, opened, changed, [review], { message: null }))[0]!;
}

async function hasComments({ db }: ChangeTransaction, { id }: Review): Promise<boolean> {
  return (await listCommentsOfReview(db, id, { offset: 0, limit: 1 })).length > 0;
}

/** Authors of pull requests comment on them. */
function requireOther(issue: Issue, { author }: Review, state: ReviewState): void {
  if (state === 'COMMENTED' || author.id === null || author.id !== issue.author.id) return;
  throw ownReviewRefused(state);
}

/** The same text changes nothing and is not recorded. */
export async function editReview(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: Pick<Review, 'id' | 'issueId'>,
  body: string,
): Promise<Review> {
  const issue = await lockConversation(tx, opened, issueId);
  const review = await readReview(tx, id);
  if (review.body === body) return review;
  const rules = { state: review.state, hasComments: await hasComments(tx, review) };
  const checked = checkedReviewBody(body, rules);
  const updatedAt = updateTimeOf(tx, review);
  const changed = await updateReview(tx.db, review, { body: checked, updatedAt });
  if (review.state === 'PENDING') return changed;
  const touched = await touchIssue(tx, issue);
  await recordReferences(tx, opened, touched, body);
  const changes = { body: { from: review.body } };
  await recordReviewActions(tx, opened, touched, [{ action: 'edited', review: changed, changes }]);
  auditChangeByAnother(tx, opened, {
    action: REVIEW_PULL.action,
    author: review.author,
    verb: `changed a review of somebody else on pull request ${issue.number} of`,
    before: { review: review.id },
  });
  return changed;
}

/** One that is pending. Nobody else has seen it, so that nothing is recorded. */
export async function removeReview(
  tx: ChangeTransaction,
  { id, issueId }: Pick<Review, 'id' | 'issueId'>,
): Promise<Review> {
  if ((await lockIssue(tx.db, issueId)) === undefined) throw pullNotFound();
  const review = await readReview(tx, id);
  if (review.state !== 'PENDING') throw notPending('delete');
  await deletePending(tx, review);
  return review;
}

/** With its comments, where it is pending. */
export async function deletePending(
  tx: ChangeTransaction,
  { id, issueId }: Pick<Review, 'id' | 'issueId'>,
): Promise<void> {
  await lockIssue(tx.db, issueId);
  const review = await findReview(tx.db, id);
  if (review?.state !== 'PENDING') return;
  await removePendingComments(tx, review);
  await deleteReview(tx.db, id);
}

export interface Dismissal {
  /** Null where nobody has said why, as a push does. */
  message: string | null;
  /** The push that dismisses it. */
  commitId?: string;
}

/** The caller has checked who asks for it. */
export async function dismissReview(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { id, issueId }: Pick<Review, 'id' | 'issueId'>,
  dismissal: Dismissal,
): Promise<Review> {
  const issue = await lockConversation(tx, opened, issueId);
  const review = await readReview(tx, id);
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') throw notDismissable(review);
  return (await dismissReviews(tx, opened, issue, [review], dismissal))[0]!;
}

/** The reviews approve the pull request or ask for changes. The caller has locked the issue. */
export async function dismissReviews(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  reviews: readonly Review[],
  { message, commitId }: Dismissal,
): Promise<Review[]> {
  if (reviews.length === 0) return [];
  const { now } = tx.actor;
  const dismissed: Review[] = [];
  for (const review of reviews)
    dismissed.push(await updateReview(tx.db, review, { state: 'DISMISSED', updatedAt: now }));
  const changed = await touchIssue(tx, issue);
  const events = reviews.map(({ id, state }): NewIssueEvent => ({
    event: 'review_dismissed',
    actorId: actorIdOf(tx),
    details: {
      dismissed_review: {
        state: state.toLowerCase(),
        review_id: id,
        dismissal_message: message,
        ...(commitId !== undefined && { dismissal_commit_id: commitId }),
      },
    },
  }));
  await insertIssueEvents(tx.db, changed, events, now);
  const actions = dismissed.map((review) => ({ action: 'dismissed' as const, review }));
  await recordReviewActions(tx, found, changed, actions);
  return dismissed;
}

/** In the transaction that moves the head to the commit, which has locked the issue. */
export async function dismissApprovals(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  commitId: string,
): Promise<void> {
  // Who has approved the new commit already was faster than due work.
  const isStale = (review: Review) => review.state === 'APPROVED' && review.commitId !== commitId;
  const approvals = (await listLatestReviews(tx.db, issue.id)).filter(isStale);
  await dismissReviews(tx, found, issue, approvals, { message: null, commitId });
}

/** Another call may have deleted it before the issue was locked. */
async function readReview(tx: ChangeTransaction, id: number): Promise<Review> {
  const review = await findReview(tx.db, id);
  if (review === undefined || !isVisibleTo(review, actorIdOf(tx) ?? undefined)) throw reviewNotFound();
  return review;
}
