// Reactions to issues, pull requests and the comments on them: everybody who may read reacts, and takes back what is their own.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, type Call } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { CommentParams, commentRoute, type OpenedComment } from '../issue-comments/access.ts';
import { COMMENT_ON_ISSUE, IssueParams, issueRoute, type OpenedIssue } from '../issues/access.ts';
import { REACTIONS, type ReactionContent, type ReactionCounts } from '../issues/issue.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import { READ_REPOSITORY, type FoundRepository } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import {
  ReviewCommentParams,
  reviewCommentRoute,
  type OpenedReviewComment,
} from '../review-comments/access.ts';
import { ReactionReply, ReactionWriting, subjectOf, toReaction, totalOf } from './model.ts';
import { addReaction, removeReaction, type OpenedSubject } from './react.ts';
import { listReactions } from './store.ts';

const ReactionQuery = Type.Object({
  content: Type.Optional(OneOf(REACTIONS, { description: 'Only these' })),
  ...HostPageQuery,
});

const ReactionId = { reaction_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) };

const ADDING = 'The same reaction of the same person again changes nothing, and is answered with 200.';
const REMOVING = 'Only whoever has reacted may.';

/** A subject as routes of its kind find it. */
interface FoundSubject extends FoundRepository, OpenedSubject {
  counts: ReactionCounts;
}

function issueSubject({ issue, ...opened }: OpenedIssue): FoundSubject {
  return { ...opened, subject: subjectOf('issue', issue.id), issueId: issue.id, counts: issue.reactions };
}

function commentSubject({ comment, ...opened }: OpenedComment): FoundSubject {
  const { id, issueId, reactions } = comment;
  return { ...opened, subject: subjectOf('comment', id), issueId, counts: reactions };
}

function reviewCommentSubject({ comment, ...opened }: OpenedReviewComment): FoundSubject {
  const { id, issueId, reactions } = comment;
  return { ...opened, subject: subjectOf('review-comment', id), issueId, counts: reactions };
}

const listForIssue = issueRoute(
  {
    id: 'reactions/list-for-issue',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
    summary: 'List the reactions to an issue or a pull request',
    description: 'The oldest first.',
    access: READ_REPOSITORY,
    params: IssueParams,
    query: ReactionQuery,
    list: ReactionReply,
  },
  'read',
  (call, kernel, opened) => showReactions(call, kernel, issueSubject(opened)),
);

const createForIssue = issueRoute(
  {
    id: 'reactions/create-for-issue',
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
    summary: 'React to an issue or a pull request',
    description: ADDING,
    access: COMMENT_ON_ISSUE,
    params: IssueParams,
    body: ReactionWriting,
    reply: { 201: ReactionReply, 200: ReactionReply },
    isData: true,
  },
  { writes: 'read' },
  (call, kernel, opened) => react(call, kernel, issueSubject(opened)),
);

const deleteForIssue = issueRoute(
  {
    id: 'reactions/delete-for-issue',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}',
    summary: 'Take back a reaction to an issue or a pull request',
    description: REMOVING,
    access: COMMENT_ON_ISSUE,
    params: Type.Object({ ...IssueParams.properties, ...ReactionId }),
    reply: { 204: null },
    isData: true,
  },
  { writes: 'read' },
  (call, kernel, opened) => takeBack(call, kernel, issueSubject(opened)),
);

const listForComment = commentRoute(
  {
    id: 'reactions/list-for-issue-comment',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
    summary: 'List the reactions to a comment on an issue or a pull request',
    description: 'The oldest first.',
    access: READ_REPOSITORY,
    params: CommentParams,
    query: ReactionQuery,
    list: ReactionReply,
  },
  'read',
  (call, kernel, opened) => showReactions(call, kernel, commentSubject(opened)),
);

const createForComment = commentRoute(
  {
    id: 'reactions/create-for-issue-comment',
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
    summary: 'React to a comment on an issue or a pull request',
    description: ADDING,
    access: COMMENT_ON_ISSUE,
    params: CommentParams,
    body: ReactionWriting,
    reply: { 201: ReactionReply, 200: ReactionReply },
    isData: true,
  },
  { writes: 'read' },
  (call, kernel, opened) => react(call, kernel, commentSubject(opened)),
);

const deleteForComment = commentRoute(
  {
    id: 'reactions/delete-for-issue-comment',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}',
    summary: 'Take back a reaction to a comment on an issue or a pull request',
    description: REMOVING,
    access: COMMENT_ON_ISSUE,
    params: Type.Object({ ...CommentParams.properties, ...ReactionId }),
    reply: { 204: null },
    isData: true,
  },
  { writes: 'read' },
  (call, kernel, opened) => takeBack(call, kernel, commentSubject(opened)),
);

const listForReviewComment = reviewCommentRoute(
  {
    id: 'reactions/list-for-pull-request-review-comment',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
    summary: 'List the reactions to a comment on a line of a pull request',
    description: 'The oldest first.',
    access: READ_REPOSITORY,
    params: ReviewCommentParams,
    query: ReactionQuery,
    list: ReactionReply,
  },
  'read',
  (call, kernel, opened) => showReactions(call, kernel, reviewCommentSubject(opened)),
);

const createForReviewComment = reviewCommentRoute(
  {
    id: 'reactions/create-for-pull-request-review-comment',
    method: 'POST',
    path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
    summary: 'React to a comment on a line of a pull request',
    description: ADDING,
    access: COMMENT_ON_ISSUE,
    params: ReviewCommentParams,
    body: ReactionWriting,
    reply: { 201: ReactionReply, 200: ReactionReply },
    isData: true,
  },
  { writes: 'read' },
  (call, kernel, opened) => react(call, kernel, reviewCommentSubject(opened)),
);

const deleteForReviewComment = reviewCommentRoute(
  {
    id: 'reactions/delete-for-pull-request-comment',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}',
    summary: 'Take back a reaction to a comment on a line of a pull request',
    description: REMOVING,
    access: COMMENT_ON_ISSUE,
    params: Type.Object({ ...ReviewCommentParams.properties, ...ReactionId }),
    reply: { 204: null },
    isData: true,
  },
  { writes: 'read' },
  (call, kernel, opened) => takeBack(call, kernel, reviewCommentSubject(opened)),
);

interface ListCall extends Pick<Call, 'base'> {
  query: { content?: ReactionContent; page: number; per_page?: number };
}

async function showReactions({ query, base }: ListCall, { db }: Kernel, { subject, counts }: FoundSubject) {
  const slice = pageSliceOf(query);
  const reactions = await listReactions(db, subject, query.content, slice);
  const people = await listOwners(
    db,
    reactions.map(({ accountId }) => accountId),
  );
  return new Page(reactions, totalOf(counts, query.content), slice).map((reaction) =>
    toReaction(reaction, people.get(reaction.accountId), base),
  );
}

interface ChangingCall extends Pick<Call, 'base' | 'now' | 'requirePermission' | 'can'> {
  caller: KnownCaller;
}

async function react(
  call: ChangingCall & { body: { content: ReactionContent } },
  { changes }: Kernel,
  found: FoundSubject,
) {
  const { caller, base, body } = call;
  call.requirePermission(repositoryResource(found));
  const account = accountOf(caller);
  const { reaction, isNew } = await changes.run(call, async (tx) => {
    await shareLockAccount(tx.db, caller);
    return await addReaction(tx, found, account.id, body.content);
  });
  return reply(isNew ? 201 : 200, toReaction(reaction, ownerOfAccount(account), base));
}

async function takeBack(
  call: ChangingCall & { params: { reaction_id: number } },
  { changes }: Kernel,
  found: FoundSubject,
) {
  call.requirePermission(repositoryResource(found));
  const { id } = accountOf(call.caller);
  await changes.run(call, (tx) => removeReaction(tx, found, id, call.params.reaction_id));
  return reply(204);
}

export const reactionRoutes = [
  listForIssue,
  createForIssue,
  deleteForIssue,
  listForComment,
  createForComment,
  deleteForComment,
  listForReviewComment,
  createForReviewComment,
  deleteForReviewComment,
];
