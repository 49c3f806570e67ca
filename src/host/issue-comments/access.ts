// Finds the comment that a call names, and decides what its caller may do there.
import { Failure } from '../../kernel/failure.ts';
import type { Route, RouteShape } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import {
  isAuthor,
  openedRoute,
  openIssues,
  requireUse,
  type IssueUse,
  type OpenedHandler,
  type OpenedIssues,
} from '../issues/access.ts';
import { RepositoryParams, type RepositoryCall } from '../repositories/access.ts';
import { includesRole } from '../repositories/repository.ts';
import type { IssueComment } from './model.ts';
import { findComment } from './store.ts';

export const CommentParams = Type.Object({
  ...RepositoryParams,
  comment_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

export interface OpenedComment extends OpenedIssues {
  comment: IssueComment;
}

/** A route below a comment on an issue or a pull request, which the parameter `comment_id` names. */
export function commentRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: OpenedHandler<S, OpenedComment>,
): Route<S> {
  return openedRoute(shape, use, openComment, handle);
}

async function openComment(kernel: Kernel, call: RepositoryCall, use: IssueUse): Promise<OpenedComment> {
  const opened = await openIssues(kernel, call, use);
  const { comment_id: id } = call.params as { comment_id: number };
  const comment = await findComment(kernel.db, opened.repository.number, id);
  if (comment === undefined) throw commentNotFound();
  requireUse(call.caller, opened, { isPull: comment.isOnPull }, use);
  return { ...opened, comment };
}

/** Authors change what they have written, and those who may write change everything. */
export function requireCommentChange(
  caller: KnownCaller,
  { role, comment }: Pick<OpenedComment, 'role'> & { comment: Pick<IssueComment, 'author'> },
): void {
  if (isAuthor(caller, comment.author) || includesRole(role, 'write')) return;
  throw new Failure('denied', 'You may not change a comment of somebody else.');
}

export function commentNotFound(): Failure {
  return new Failure('not-found', 'There is no such comment');
}
