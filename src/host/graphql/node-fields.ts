// Finds what a node id names.
import { parseNodeId } from '../node-id.ts';
import { threadNotFound } from '../review-comments/resolve-thread.ts';
import { isCommentVisibleTo, reviewCommentNotFound } from '../review-comments/review-comment.ts';
import { listReviewCommentsById } from '../review-comments/store.ts';
import { findThread, type ReviewThread } from '../review-comments/store-threads.ts';
import { accountIdOf } from '../reviews/access.ts';
import { Failure } from '../../kernel/failure.ts';
import type { OpenedPull } from '../pulls/access.ts';
import type { IssueUse } from '../issues/access.ts';
import { asField, openPullById } from './open-pulls.ts';
import { toPullNode } from './pull-fields.ts';
import type { GraphqlContext } from './context.ts';
import { listThreadNodes, toCommentNode } from './thread-fields.ts';

export function missingNode(id: string): string {
  return `Could not resolve to a node with the global id of '${id}'.`;
}

export async function nodeField({ id }: { id: string }, context: GraphqlContext) {
  return await asField(missingNode(id), () => findNode(id, context));
}

async function findNode(id: string, context: GraphqlContext) {
  const { type, number } = numberedNode(id);
  if (type === 'PullRequest') return toPullNode(await openPullById(context, number, 'read'), context);
  if (type === 'PullRequestReviewThread') return await findThreadNode(number, context);
  if (type === 'PullRequestReviewComment') return await findCommentNode(number, context);
  throw new Failure('not-found', 'There is no such node');
}

/** The type and the number in the id of a node of another type, or of nothing, is that of none. */
export function numberedNode(id: string): { type: string; number: number } {
  const { type = '', key = '' } = parseNodeId(id) ?? {};
  const number = /^[1-9]\d{0,14}$/.test(key) ? Number(key) : 0;
  return { type, number };
}

async function findThreadNode(id: number, context: GraphqlContext) {
  const { thread, opened } = await openThread(context, id, 'read');
  const node = (await listThreadNodes([thread], opened, context, toPullNode)).get(id);
  if (node === undefined) throw threadNotFound();
  return node;
}

export async function openThread(
  context: GraphqlContext,
  id: number,
  use: IssueUse,
): Promise<{ thread: ReviewThread; opened: OpenedPull }> {
  const thread = await findThread(context.kernel.db, id);
  if (thread === undefined) throw threadNotFound();
  return { thread, opened: await openPullById(context, thread.issueId, use) };
}

async function findCommentNode(id: number, context: GraphqlContext) {
  const [comment] = await listReviewCommentsById(context.kernel.db, [id]);
  if (comment === undefined || !isCommentVisibleTo(comment, accountIdOf(context.caller)))
    throw reviewCommentNotFound();
  return toCommentNode(comment, await openPullById(context, comment.issueId, 'read'), context);
}
