// Finds the comment on a line that a call names, and decides what its caller may do there.
import type { Route, RouteShape } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { openedRoute, type IssueUse, type OpenedHandler, type OpenedIssues } from '../issues/access.ts';
import { openPulls } from '../pulls/access.ts';
import { RepositoryParams, type RepositoryCall } from '../repositories/access.ts';
import { accountIdOf } from '../reviews/access.ts';
import { isCommentVisibleTo, reviewCommentNotFound, type ReviewComment } from './review-comment.ts';
import { findReviewComment } from './store.ts';

export const CommentId = { comment_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) };

export const ReviewCommentParams = Type.Object({ ...RepositoryParams, ...CommentId });

export interface OpenedReviewComment extends OpenedIssues {
  comment: ReviewComment;
}

/** A route below a comment on a line, which the parameter `comment_id` names. One of a pending review exists for its author alone. */
export function reviewCommentRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: OpenedHandler<S, OpenedReviewComment>,
): Route<S> {
  return openedRoute(shape, use, openComment, handle);
}

async function openComment(
  kernel: Kernel,
  call: RepositoryCall,
  use: IssueUse,
): Promise<OpenedReviewComment> {
  const opened = await openPulls(kernel, call, use);
  const { comment_id: id } = call.params as { comment_id: number };
  const comment = await findReviewComment(kernel.db, opened.repository.number, id);
  if (comment === undefined || !isCommentVisibleTo(comment, accountIdOf(call.caller)))
    throw reviewCommentNotFound();
  return { ...opened, comment };
}
