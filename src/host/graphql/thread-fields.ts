// Threads of comments on lines as GraphQL shows them. What a page nests is read for all of its threads at once.
import type { Db } from '../../kernel/storage/tables.ts';
import { isAuthor } from '../issues/access.ts';
import { nodeId } from '../node-id.ts';
import type { OpenedPull } from '../pulls/access.ts';
import { includesRole } from '../repositories/repository.ts';
import { accountIdOf } from '../reviews/access.ts';
import type { ReviewComment } from '../review-comments/review-comment.ts';
import {
  listThreadComments,
  measureThreadComments,
  type ReviewThread,
  type ThreadSlice,
} from '../review-comments/store-threads.ts';
import { typedError } from './cost.ts';
import { connectionOf, idSliceOf, type PageArguments } from './id-pages.ts';
import type { GraphqlContext } from './context.ts';
import { listUserNodes } from './user-fields.ts';
import { siteOf } from '../site.ts';

/** Of all threads of a page together. */
const MAX_COMMENTS = 2000;
const MAX_CHARACTERS = 8 * 1024 ** 2;

/** By id. Those without a comment that the caller sees are missing. `toPullNode` makes the node of their pull request. */
export async function listThreadNodes<PullNode>(
  threads: readonly ReviewThread[],
  opened: OpenedPull,
  context: GraphqlContext,
  toPullNode: (opened: OpenedPull, context: GraphqlContext) => PullNode,
) {
  const { kernel, caller, base } = context;
  const ids = threads.map(({ id }) => id);
  const [firsts, users] = await Promise.all([
    listThreadComments(kernel.db, ids, { perThread: 1, accountId: accountIdOf(caller) }),
    listUserNodes(
      kernel.db,
      threads.flatMap(({ resolvedById }) => resolvedById ?? []),
      base,
    ),
  ]);
  const commentsOf = commentReader(ids, context);
  const mayResolve = isAuthor(caller, opened.issue.author) || includesRole(opened.role, 'write');
  return new Map(
    threads.flatMap((thread) => {
      const first = firsts.get(thread.id)?.[0];
      if (first === undefined) return [];
      const node = {
        ...toPlace(first),
        __typename: 'PullRequestReviewThread',
        id: nodeId('PullRequestReviewThread', thread.id),
        isResolved: thread.isResolved,
        resolvedBy: users.get(thread.resolvedById ?? '') ?? null,
        viewerCanResolve: mayResolve && !thread.isResolved,
        viewerCanUnresolve: mayResolve && thread.isResolved,
        pullRequest: () => toPullNode(opened, context),
        comments: async (page: PageArguments) =>
          connectionOf(page, await commentsOf(thread.id, page), (comment) =>
            toCommentNode(comment, opened, context),
          ),
      };
      return [[thread.id, node] as const];
    }),
  );
}

/** The thread is where its first comment is. */
function toPlace(first: ReviewComment) {
  return {
    isOutdated: first.position === null,
    path: first.path,
    line: first.line,
    startLine: first.startLine,
    originalLine: first.originalLine,
    originalStartLine: first.originalStartLine,
    diffSide: first.side,
    startDiffSide: first.startSide,
    subjectType: first.subjectType.toUpperCase(),
  };
}

/** The first thread that asks for a page reads those of all. */
function commentReader(threadIds: readonly number[], { kernel, caller }: GraphqlContext) {
  const pages = new Map<string, Promise<Map<number, ReviewComment[]>>>();
  return async (threadId: number, page: PageArguments): Promise<readonly ReviewComment[]> => {
    const { limit: perThread, ...range } = idSliceOf(page);
    const slice = { ...range, perThread, accountId: accountIdOf(caller) };
    const key = JSON.stringify(slice);
    const read = pages.get(key) ?? readComments(kernel.db, threadIds, slice);
    pages.set(key, read);
    return (await read).get(threadId) ?? [];
  };
}

/** What would hold the server up, or take too much of its memory, is not read. */
async function readComments(db: Db, threadIds: readonly number[], slice: ThreadSlice) {
  const { comments, characters } = await measureThreadComments(db, threadIds, slice);
  if (comments > MAX_COMMENTS || characters > MAX_CHARACTERS)
    throw typedError(
      'RESOURCE_LIMITS_EXCEEDED',
      `The query reads more than ${MAX_COMMENTS} comments, or very long ones. Ask for smaller pages.`,
    );
  return await listThreadComments(db, threadIds, slice);
}

export function toCommentNode(
  comment: ReviewComment,
  { repository, owner }: OpenedPull,
  { base }: GraphqlContext,
) {
  const page = `${siteOf(base)}/${owner.login}/${repository.name}/pull/${comment.pullNumber}`;
  return {
    __typename: 'PullRequestReviewComment',
    id: nodeId('PullRequestReviewComment', comment.id),
    databaseId: comment.id,
    body: comment.body,
    path: comment.path,
    diffHunk: comment.diffHunk,
    outdated: comment.position === null,
    url: `${page}#discussion_r${comment.id}`,
    createdAt: new Date(comment.createdAt).toISOString(),
    updatedAt: new Date(comment.updatedAt).toISOString(),
  };
}
