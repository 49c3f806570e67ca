// Issues: create, read, change, lock and unlock them.
import type { Change } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FORMATS } from '../contents/render-bodies.ts';
import { entryOwnerOf, READ_REPOSITORY, RepositoryParams } from '../repositories/access.ts';
import { includesRole, repositoryResource } from '../repositories/repository.ts';
import {
  CREATE_ISSUE,
  IssueParams,
  isAuthor,
  issueRoute,
  issuesRoute,
  UPDATE_ISSUE,
  type OpenedIssue,
} from './access.ts';
import { createIssue, editIssue, type IssueEdit } from './change-issue.ts';
import type { Issue } from './issue.ts';
import { IssueReply } from './model.ts';
import { replyIssue } from './reply-issues.ts';
import { checkedBody, checkedTitle, IssueCreation, IssueLock, IssuePatch, sentPartsOf } from './requests.ts';
import { resolveParts, type ResolvedParts } from './resolve-parts.ts';

const PATH = '/repos/{owner}/{repo}/issues/{issue_number}';

const create = issuesRoute(
  {
    id: 'issues/create',
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues',
    summary: 'Create an issue',
    description:
      'Everybody who may read the repository may. Labels, assignees and the milestone have no effect when sent by those who may not triage.',
    access: CREATE_ISSUE,
    params: Type.Object(RepositoryParams),
    body: IssueCreation,
    reply: { 201: IssueReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    const { caller, body } = call;
    const title = checkedTitle(body.title);
    const text = checkedBody(body.body ?? null);
    const sent = includesRole(opened.role, 'triage') ? sentPartsOf(body) : {};
    const issue = await kernel.changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, caller);
      const { labels = [], assigneeIds = [], milestoneId = null } = await resolveParts(tx, opened, sent);
      const author = { id: accountOf(caller).id, name: null };
      return await createIssue(tx, opened, { title, body: text, author, labels, assigneeIds, milestoneId });
    });
    const shown = await replyIssue(kernel, call, opened, issue);
    return reply(201, shown, { location: shown.url });
  },
);

const get = issueRoute(
  {
    id: 'issues/get',
    method: 'GET',
    path: PATH,
    summary: 'Get an issue or a pull request',
    description: `A pull request is an issue with the member \`pull_request\`. ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: IssueParams,
    reply: { 200: IssueReply },
    isKept: true,
  },
  'read',
  async (call, kernel, opened) => await replyIssue(kernel, call, opened, opened.issue),
);

const update = issueRoute(
  {
    id: 'issues/update',
    method: 'PATCH',
    path: PATH,
    summary: 'Change an issue or a pull request',
    description:
      'Its author may, and those who triage: authors without that right change the title, the body and the state, and what else they send has no effect; the title and the body of others are changed by those who may write.',
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: IssuePatch,
    bodyIsOptional: true,
    reply: { 200: IssueReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    const { issue, role } = opened;
    const sent = call.body ?? {};
    const own = ownEditOf(sent);
    const isOwn = isAuthor(call.caller, issue.author);
    const isRewritten = isTextChanged(issue, own);
    if (!isOwn) requireEditor(opened, isRewritten);
    const parts = includesRole(role, 'triage') ? sentPartsOf(sent) : {};
    const changed = await kernel.changes.run(call, async (tx) => {
      const resolved = await resolveParts(tx, opened, parts, issue);
      if (isRewritten && !isOwn) tx.record(rewritingByAnother(opened));
      return await editIssue(tx, opened, issue.id, { ...own, ...replacing(resolved) });
    });
    return await replyIssue(kernel, call, opened, changed);
  },
);

/** Null leaves the title as it is. */
function ownEditOf({ title, body, state, state_reason: reason }: Static<typeof IssuePatch>): IssueEdit {
  return {
    ...(title != null && { title: checkedTitle(title) }),
    ...(body !== undefined && { body: checkedBody(body) }),
    ...(state !== undefined && { state }),
    ...(reason !== undefined && { stateReason: reason }),
  };
}

function isTextChanged(issue: Issue, { title = issue.title, body = issue.body }: IssueEdit): boolean {
  return title !== issue.title || body !== issue.body;
}

function replacing({ labels, assigneeIds, milestoneId }: ResolvedParts): IssueEdit {
  return {
    ...(labels && { labels: () => labels }),
    ...(assigneeIds && { assigneeIds: () => assigneeIds }),
    ...(milestoneId !== undefined && { milestoneId }),
  };
}

/** For issues of others. */
function requireEditor({ role }: OpenedIssue, isRewritten: boolean): void {
  const needed = isRewritten ? 'write' : 'triage';
  if (!includesRole(role, needed))
    throw new Failure('denied', `You must have ${needed} rights to the repository to change this of others.`);
}

/** Issues are data, and not in the audit log; but their authors may ask who has changed their words. */
function rewritingByAnother(found: OpenedIssue): Change {
  const { issue, repository } = found;
  return {
    accesses: [{ action: UPDATE_ISSUE.action, resource: repositoryResource(found) }],
    kind: 'repository',
    name: repository.name,
    verb: `changed the text of somebody else in issue ${issue.number} of the repository`,
    ...entryOwnerOf(found),
    before: { issue: issue.number, author: issue.author.id, title: issue.title },
  };
}

const LOCK = `${PATH}/lock`;

const lock = issueRoute(
  {
    id: 'issues/lock',
    method: 'PUT',
    path: LOCK,
    summary: 'Lock the conversation of an issue',
    description: 'From then on, those who may write go on with it alone.',
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: IssueLock,
    bodyIsOptional: true,
    reply: { 204: null },
    isData: true,
  },
  { writes: 'write' },
  async (call, { changes }, opened) => {
    const reason = call.body?.lock_reason ?? null;
    await changes.run(call, (tx) => editIssue(tx, opened, opened.issue.id, { lock: { reason } }));
    return reply(204);
  },
);

const unlock = issueRoute(
  {
    id: 'issues/unlock',
    method: 'DELETE',
    path: LOCK,
    summary: 'Unlock the conversation of an issue',
    access: UPDATE_ISSUE,
    params: IssueParams,
    reply: { 204: null },
    isData: true,
  },
  { writes: 'write' },
  async (call, { changes }, opened) => {
    await changes.run(call, (tx) => editIssue(tx, opened, opened.issue.id, { lock: null }));
    return reply(204);
  },
);

export const issueRoutes = [create, get, update, lock, unlock];
