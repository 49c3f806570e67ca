// Comments on issues and pull requests: everybody who may read writes them; authors, and those who may write, change and delete them.
import { accountOf } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { BODY_FORMATS } from '../contents/render-bodies.ts';
import { countBounded, HostPageQuery, pageOf, pageSliceOf } from '../list-query.ts';
import {
  COMMENT_ON_ISSUE,
  includesIssues,
  IssueParams,
  issueRoute,
  planningRoute,
} from '../issues/access.ts';
import { READ_REPOSITORY, RepositoryParams } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { parseTime } from '../times.ts';
import { CommentParams, commentRoute, requireCommentChange } from './access.ts';
import { createComment, editComment, removeComment } from './change-comment.ts';
import { IssueCommentReply, IssueCommentWriting, requireCommentBody, toIssueComment } from './model.ts';
import { toCommentReplies } from './show-comments.ts';
import { countComments, listComments, type CommentFilter } from './store.ts';

const Since = Type.Optional(
  Type.String({ format: 'date-time', description: 'Only those that were written or changed since then' }),
);

const listIssueComments = issueRoute(
  {
    id: 'issues/list-comments',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
    summary: 'List the comments on an issue or a pull request',
    description: `The oldest first. ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: IssueParams,
    query: Type.Object({ since: Since, ...HostPageQuery }),
    list: IssueCommentReply,
  },
  'read',
  async (call, kernel, opened) => {
    const slice = pageSliceOf(call.query);
    const { id, commentCount } = opened.issue;
    const filter = { of: { issueId: id }, ...sinceIn(call.query) };
    const comments = await listComments(kernel.db, filter, { sort: 'created', desc: false }, slice);
    const shown = await toCommentReplies(kernel, call, opened, comments, toIssueComment);
    if (filter.updatedSince === undefined) return new Page(shown, commentCount, slice);
    return pageOf(
      shown,
      await countBounded(slice, (atMost) => countComments(kernel.db, filter, atMost)),
      slice,
    );
  },
);

const listRepositoryComments = planningRoute(
  {
    id: 'issues/list-comments-for-repo',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/comments',
    summary: 'List the comments on all issues and pull requests of a repository',
    description: `Where issues are switched off, those on pull requests alone. ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      sort: Type.Optional(OneOf(['created', 'updated'], { description: '`created` if absent' })),
      direction: Type.Optional(
        OneOf(['asc', 'desc'], { description: 'Only together with `sort`; `asc` if absent' }),
      ),
      since: Since,
      ...HostPageQuery,
    }),
    list: IssueCommentReply,
  },
  'read',
  async (call, kernel, opened) => {
    const { query, caller } = call;
    const slice = pageSliceOf(query);
    const { number: repositoryNumber } = opened.repository;
    const filter: CommentFilter = {
      of: { repositoryNumber, ...(!includesIssues(caller, opened) && { arePulls: true }) },
      ...sinceIn(query),
    };
    const { sort = 'created', direction } = query;
    const order = { sort, desc: query.sort !== undefined && direction === 'desc' };
    const comments = await listComments(kernel.db, filter, order, slice);
    const shown = await toCommentReplies(kernel, call, opened, comments, toIssueComment);
    return pageOf(
      shown,
      await countBounded(slice, (atMost) => countComments(kernel.db, filter, atMost)),
      slice,
    );
  },
);

function sinceIn({ since }: { since?: string }): { updatedSince?: number } {
  return since === undefined ? {} : { updatedSince: parseTime('since', since) };
}

const createIssueComment = issueRoute(
  {
    id: 'issues/create-comment',
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
    summary: 'Comment on an issue or a pull request',
    description: 'Everybody who may read it may; where the conversation is locked, those who may write.',
    access: COMMENT_ON_ISSUE,
    params: IssueParams,
    body: IssueCommentWriting,
    reply: { 201: IssueCommentReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    const { caller } = call;
    call.requirePermission(repositoryResource(opened));
    const draft = { author: { id: accountOf(caller).id, name: null }, body: requireCommentBody(call.body) };
    const comment = await kernel.changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, caller);
      return await createComment(tx, opened, opened.issue.id, draft);
    });
    const [shown] = await toCommentReplies(kernel, call, opened, [comment], toIssueComment);
    return reply(201, shown!, { location: shown!.url });
  },
);

const getIssueComment = commentRoute(
  {
    id: 'issues/get-comment',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    summary: 'Get a comment on an issue or a pull request',
    description: BODY_FORMATS,
    access: READ_REPOSITORY,
    params: CommentParams,
    reply: { 200: IssueCommentReply },
  },
  'read',
  async (call, kernel, opened) =>
    (await toCommentReplies(kernel, call, opened, [opened.comment], toIssueComment))[0]!,
);

const updateIssueComment = commentRoute(
  {
    id: 'issues/update-comment',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    summary: 'Change a comment on an issue or a pull request',
    description: 'Its author may, and those who may write to the repository.',
    access: COMMENT_ON_ISSUE,
    params: CommentParams,
    body: IssueCommentWriting,
    reply: { 200: IssueCommentReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    requireCommentChange(call.caller, opened);
    const body = requireCommentBody(call.body);
    const comment = await kernel.changes.run(call, (tx) => editComment(tx, opened, opened.comment, body));
    return (await toCommentReplies(kernel, call, opened, [comment], toIssueComment))[0]!;
  },
);

const deleteIssueComment = commentRoute(
  {
    id: 'issues/delete-comment',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
    summary: 'Delete a comment on an issue or a pull request',
    description: 'Its author may, and those who may write to the repository.',
    access: COMMENT_ON_ISSUE,
    params: CommentParams,
    reply: { 204: null },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    call.requirePermission(repositoryResource(opened));
    requireCommentChange(call.caller, opened);
    await kernel.changes.run(call, (tx) => removeComment(tx, opened, opened.comment));
    return reply(204);
  },
);

export const issueCommentRoutes = [
  listRepositoryComments,
  listIssueComments,
  createIssueComment,
  getIssueComment,
  updateIssueComment,
  deleteIssueComment,
];
