// Finds the review that a call names, and decides what its caller may do there.
import { Failure } from '../../kernel/failure.ts';
import type { Route, RouteShape } from '../../kernel/http/route.ts';
import { accountOf, type Caller, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { isAuthor, openedRoute, type IssueUse, type OpenedHandler } from '../issues/access.ts';
import { openNamedPull, PullParams, type OpenedPull } from '../pulls/access.ts';
import type { RepositoryCall } from '../repositories/access.ts';
import { includesRole } from '../repositories/repository.ts';
import { isVisibleTo, reviewNotFound, type Review } from './review.ts';
import { findReview } from './store.ts';

/** For the `access` of routes that change something about reviews. Those that read have `READ_REPOSITORY`. */
export const REVIEW_PULL = { action: 'reviewPullRequest', ofOwner: true } as const;

export const ReviewParams = Type.Object({
  ...PullParams.properties,
  review_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

export interface OpenedReview extends OpenedPull {
  review: Review;
}

/** A route below a review of a pull request, which the parameter `review_id` names. A pending one exists for its author alone. */
export function reviewRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: OpenedHandler<S, OpenedReview>,
): Route<S> {
  return openedRoute(shape, use, openReview, handle);
}

async function openReview(kernel: Kernel, call: RepositoryCall, use: IssueUse): Promise<OpenedReview> {
  const opened = await openNamedPull(kernel, call, use);
  const { review_id: id } = call.params as { review_id: number };
  const review = await findReview(kernel.db, id);
  if (review?.issueId !== opened.issue.id || !isVisibleTo(review, accountIdOf(call.caller)))
    throw reviewNotFound();
  return { ...opened, review };
}

/** Undefined for a caller without a credential. */
export function accountIdOf(caller: Caller): string | undefined {
  return caller.kind === 'anonymous' ? undefined : accountOf(caller).id;
}

/** Authors change what they have written, and those who may write change everything. */
export function requireReviewChange(caller: KnownCaller, { role, review }: OpenedReview): void {
  if (isAuthor(caller, review.author) || includesRole(role, 'write')) return;
  throw new Failure('denied', 'You may not change a review of somebody else.');
}

/** The author of the pull request, and those who may triage, ask for reviews. */
export function requireReviewRequests(caller: KnownCaller, { role, issue }: OpenedPull): void {
  if (isAuthor(caller, issue.author) || includesRole(role, 'triage')) return;
  throw new Failure('denied', 'You may not request reviews of a pull request of somebody else.');
}
