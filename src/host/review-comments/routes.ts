// Comments on lines of pull requests: everybody who may read writes them; their authors and those who may write change them.
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, type Call } from '../../kernel/http/route.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FORMATS } from '../contents/render-bodies.ts';
import { requireCommentChange } from '../issue-comments/access.ts';
import { toCommentReplies } from '../issue-comments/show-comments.ts';
import { COMMENT_ON_ISSUE } from '../issues/access.ts';
import { countBounded, HostPageQuery, pageBefore, pageOf, pageSliceOf } from '../list-query.ts';
import { PullParams, pullRoute, pullsRoute, type OpenedPull } from '../pulls/access.ts';
import { requirePullCommit } from '../pulls/pull-commits.ts';
import { pullRefused } from '../pulls/pull.ts';
import { READ_REPOSITORY, RepositoryParams } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { ReviewParams, reviewRoute } from '../reviews/access.ts';
import { parseTime } from '../times.ts';
import { CommentId, ReviewCommentParams, reviewCommentRoute } from './access.ts';
import { editReviewComment, removeReviewComment } from './change-comments.ts';
import { createReviewComment, replyToComment } from './create-comment.ts';
import { CommentOfReview, ReviewCommentReply, toReviewComment } from './model.ts';
import { placeComments } from './place-comments.ts';
import { checkedCommentBody, ReviewCommentBody, ReviewCommentPost, wantedCommentOf } from './requests.ts';
import type { ReviewComment } from './review-comment.ts';
import {
  countReviewComments,
  listCommentsOfReview,
  listReviewComments,
  type ReviewCommentFilter,
  type ReviewCommentOrder,
} from './store.ts';

const OF_PULL = '/repos/{owner}/{repo}/pulls/{pull_number}/comments';
const OF_REPOSITORY = '/repos/{owner}/{repo}/pulls/comments';
const COMMENT = `${OF_REPOSITORY}/{comment_id}`;
const PLACES =
  '`line` and `position` are those in the changes of `commit_id`, and null where a push has taken the line out of them.';

const LIST_QUERY = {
  direction: Type.Optional(
    OneOf(['asc', 'desc'], { description: 'Only together with `sort`; `asc` if absent' }),
  ),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only those that were written or changed since then' }),
  ),
  ...HostPageQuery,
};

interface ListQuery {
  sort?: string;
  direction?: 'asc' | 'desc';
  since?: string;
}

function orderIn({ sort, direction }: ListQuery): ReviewCommentOrder {
  return {
    sort: sort === 'updated' ? 'updated' : 'created',
    desc: sort !== undefined && direction === 'desc',
  };
}

function sinceIn({ since }: ListQuery): { updatedSince?: number } {
  return since === undefined ? {} : { updatedSince: parseTime('since', since) };
}

const listOfPull = pullRoute(
  {
    id: 'pulls/list-review-comments',
    method: 'GET',
    path: OF_PULL,
    summary: 'List the comments on lines of a pull request',
    description: `The oldest first, unless \`sort\` and \`direction\` say otherwise. Those of pending reviews are in no such list. ${PLACES} ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: PullParams,
    query: Type.Object({
      sort: Type.Optional(OneOf(['created', 'updated'], { description: '`created` if absent' })),
      ...LIST_QUERY,
    }),
    list: ReviewCommentReply,
  },
  'read',
  async (call, kernel, opened) => {
    const slice = pageSliceOf(call.query);
    const { issue, pull } = opened;
    const filter: ReviewCommentFilter = { of: { issueId: issue.id }, ...sinceIn(call.query) };
    const comments = await listReviewComments(kernel.db, filter, orderIn(call.query), slice);
    const shown = await toCommentReplies(kernel, call, opened, comments, toReviewComment);
    if (filter.updatedSince === undefined) return new Page(shown, pull.reviewCommentCount, slice);
    const total = await countBounded(slice, (max) => countReviewComments(kernel.db, filter, max));
    return pageOf(shown, total, slice);
  },
);

const listOfRepository = pullsRoute(
  {
    id: 'pulls/list-review-comments-for-repo',
    method: 'GET',
    path: OF_REPOSITORY,
    summary: 'List the comments on lines of all pull requests of a repository',
    description: `The oldest first, unless \`sort\` and \`direction\` say otherwise. ${PLACES} ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      sort: Type.Optional(
        OneOf(['created', 'updated', 'created_at'], { description: '`created` if absent' }),
      ),
      ...LIST_QUERY,
    }),
    list: ReviewCommentReply,
  },
  'read',
  async (call, kernel, opened) => {
    const slice = pageSliceOf(call.query);
    const { number: repositoryNumber } = opened.repository;
    const filter: ReviewCommentFilter = { of: { repositoryNumber }, ...sinceIn(call.query) };
    const comments = await listReviewComments(kernel.db, filter, orderIn(call.query), slice);
    const shown = await toCommentReplies(kernel, call, opened, comments, toReviewComment);
    const total = await countBounded(slice, (max) => countReviewComments(kernel.db, filter, max));
    return pageOf(shown, total, slice);
  },
);

const listOfReview = reviewRoute(
  {
    id: 'pulls/list-comments-for-review',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments',
    summary: 'List the comments of a review',
    description: `The oldest first. Those of a pending review exist for its author alone. ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: ReviewParams,
    query: Type.Object(HostPageQuery),
    list: CommentOfReview,
  },
  'read',
  async (call, kernel, opened) => {
    const slice = pageSliceOf(call.query);
    const oneMore = { ...slice, limit: slice.limit + 1 };
    const comments = pageBefore(await listCommentsOfReview(kernel.db, opened.review.id, oneMore), slice);
    const shown = await toCommentReplies(kernel, call, opened, comments.items, toReviewComment);
    return new Page(shown, comments.total, slice, false, comments.more);
  },
);

const create = pullRoute(
  {
    id: 'pulls/create-review-comment',
    method: 'POST',
    path: OF_PULL,
    summary: 'Comment on a line of a pull request',
    description:
      'On a line of the changes, on a range that ends with it, or on a file; or a reply. Everybody who may read the pull request may; where the conversation is locked, those who may write. The comment comes with a review of its own.',
    access: COMMENT_ON_ISSUE,
    params: PullParams,
    body: ReviewCommentPost,
    reply: { 201: ReviewCommentReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    const { in_reply_to: inReplyTo, commit_id: commit, path, ...sent } = call.body;
    if (inReplyTo != null) return await replyTo(call, kernel, opened, inReplyTo, sent.body);
    if (path === undefined) throw pullRefused('is required', 'path', 'missing_field');
    const wanted = wantedCommentOf({ ...sent, path });
    const commitId = await requirePullCommit(kernel, opened, commit ?? opened.pull.headSha);
    const [placed] = await placeComments(kernel, opened, [wanted], commitId);
    const author = { id: accountOf(call.caller).id, name: null };
    const comment = await kernel.changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, call.caller);
      return await createReviewComment(tx, opened, opened.issue.id, { author, placed: placed! });
    });
    return await created(call, kernel, opened, comment);
  },
);

const createReply = pullRoute(
  {
    id: 'pulls/create-reply-for-review-comment',
    method: 'POST',
    path: `${OF_PULL}/{comment_id}/replies`,
    summary: 'Reply to a comment on a line of a pull request',
    description: 'A reply to a reply is one more in the same thread.',
    access: COMMENT_ON_ISSUE,
    params: Type.Object({ ...PullParams.properties, ...CommentId }),
    body: ReviewCommentBody,
    reply: { 201: ReviewCommentReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    return await replyTo(call, kernel, opened, call.params.comment_id, call.body.body);
  },
);

type WritingCall = Pick<Call, 'base' | 'headers' | 'now' | 'can' | 'requirePermission'> & {
  caller: KnownCaller;
};

async function replyTo(call: WritingCall, kernel: Kernel, opened: OpenedPull, id: number, sent: string) {
  const body = checkedCommentBody(sent);
  const author = { id: accountOf(call.caller).id, name: null };
  const comment = await kernel.changes.run(call, async (tx) => {
    await shareLockAccount(tx.db, call.caller);
    return await replyToComment(tx, opened, { id, issueId: opened.issue.id }, { author, body });
  });
  return await created(call, kernel, opened, comment);
}

async function created(call: WritingCall, kernel: Kernel, opened: OpenedPull, comment: ReviewComment) {
  const [shown] = await toCommentReplies(kernel, call, opened, [comment], toReviewComment);
  return reply(201, shown!, { location: shown!.url });
}

const get = reviewCommentRoute(
  {
    id: 'pulls/get-review-comment',
    method: 'GET',
    path: COMMENT,
    summary: 'Get a comment on a line of a pull request',
    description: `${PLACES} ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: ReviewCommentParams,
    reply: { 200: ReviewCommentReply },
  },
  'read',
  async (call, kernel, opened): Promise<Static<typeof ReviewCommentReply>> =>
    (await toCommentReplies(kernel, call, opened, [opened.comment], toReviewComment))[0]!,
);

const update = reviewCommentRoute(
  {
    id: 'pulls/update-review-comment',
    method: 'PATCH',
    path: COMMENT,
    summary: 'Change a comment on a line of a pull request',
    description: 'Its author may, and those who may write to the repository.',
    access: COMMENT_ON_ISSUE,
    params: ReviewCommentParams,
    body: ReviewCommentBody,
    reply: { 200: ReviewCommentReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    requireCommentChange(call.caller, opened);
    const body = checkedCommentBody(call.body.body);
    const comment = await kernel.changes.run(call, (tx) =>
      editReviewComment(tx, opened, opened.comment, body),
    );
    return (await toCommentReplies(kernel, call, opened, [comment], toReviewComment))[0]!;
  },
);

const remove = reviewCommentRoute(
  {
    id: 'pulls/delete-review-comment',
    method: 'DELETE',
    path: COMMENT,
    summary: 'Delete a comment on a line of a pull request',
    description:
      'Its author may, and those who may write to the repository. The last one takes its thread along.',
    access: COMMENT_ON_ISSUE,
    params: ReviewCommentParams,
    reply: { 204: null },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    requireCommentChange(call.caller, opened);
    await kernel.changes.run(call, (tx) => removeReviewComment(tx, opened, opened.comment));
    return reply(204);
  },
);

export const reviewCommentRoutes = [
  listOfRepository,
  listOfPull,
  listOfReview,
  create,
  createReply,
  get,
  update,
  remove,
];
