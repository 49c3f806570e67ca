// Assignees: who can be assigned in a repository, and those of an issue.
import { Failure } from '../../../kernel/failure.ts';
import { Page } from '../../../kernel/http/reply/page.ts';
import { reply } from '../../../kernel/http/route.ts';
import { PlainText, Type } from '../../../kernel/schema/schema.ts';
import { listCollaboratorIds } from '../../collaborators/store.ts';
import { HostPageQuery, pageSliceOf } from '../../list-query.ts';
import { SimpleUser, toSimpleUser } from '../../owners/model.ts';
import { findUser, listOwners } from '../../owners/store.ts';
import { READ_REPOSITORY, repositoryRoute, RepositoryParams } from '../../repositories/access.ts';
import { includesRole } from '../../repositories/repository.ts';
import { IssueParams, issueRoute, UPDATE_ISSUE } from '../access.ts';
import { findAssignable, sharedRepository, tooManyAssignees } from './assignees.ts';
import { editIssue } from '../change-issue.ts';
import { MAX_ASSIGNEES } from '../issue.ts';
import { IssueReply } from '../model.ts';
import { replyIssue } from '../reply-issues.ts';
import { AssigneesAddition, AssigneesRemoval } from '../requests.ts';

const OF_ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}/assignees';

const list = repositoryRoute(
  {
    id: 'issues/list-assignees',
    method: 'GET',
    path: '/repos/{owner}/{repo}/assignees',
    summary: 'List who can be assigned to issues of a repository',
    description: 'Everybody who has a role on it.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    list: SimpleUser,
  },
  'read',
  async ({ query, base }, { db }, found) => {
    const slice = pageSliceOf(query);
    const filter = { affiliation: 'all', atLeast: 'read' } as const;
    const { ids, total } = await listCollaboratorIds(db, sharedRepository(found), filter, slice);
    const owners = await listOwners(db, ids);
    const shown = ids.flatMap((id) => {
      const owner = owners.get(id);
      return owner === undefined ? [] : toSimpleUser(owner, base);
    });
    return new Page(shown, total, slice);
  },
);

const check = repositoryRoute(
  {
    id: 'issues/check-user-can-be-assigned',
    method: 'GET',
    path: '/repos/{owner}/{repo}/assignees/{assignee}',
    summary: 'Check whether a user can be assigned to issues of a repository',
    description: 'Answered 204 for those who can, and 404 for others.',
    access: READ_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, assignee: PlainText() }),
    reply: { 204: null },
  },
  'read',
  async ({ params }, { db }, found) => {
    if ((await findAssignable(db, found, [params.assignee])).ids.length === 0) throw notAssignable();
    return reply(204);
  },
);

const checkForIssue = issueRoute(
  {
    id: 'issues/check-user-can-be-assigned-to-issue',
    method: 'GET',
    path: `${OF_ISSUE}/{assignee}`,
    summary: 'Check whether a user can be assigned to an issue',
    description:
      'Answered 204 for those who can, and 404 for others. Of a public repository also its author can, and who has commented on it.',
    access: READ_REPOSITORY,
    params: Type.Object({ ...IssueParams.properties, assignee: PlainText() }),
    reply: { 204: null },
  },
  'read',
  async ({ params }, { db }, opened) => {
    const { ids } = await findAssignable(db, opened, [params.assignee], opened.issue);
    if (ids.length === 0) throw notAssignable();
    return reply(204);
  },
);

function notAssignable(): Failure {
  return new Failure('not-found', 'The user cannot be assigned here');
}

const add = issueRoute(
  {
    id: 'issues/add-assignees',
    method: 'POST',
    path: OF_ISSUE,
    summary: 'Add assignees to an issue',
    description: `At most ${MAX_ASSIGNEES}. Who cannot be assigned is left out, and so are all when sent by those who may not triage.`,
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: AssigneesAddition,
    bodyIsOptional: true,
    reply: { 201: IssueReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    let { issue } = opened;
    const { assignees = [] } = call.body ?? {};
    if (assignees.length > 0 && includesRole(opened.role, 'triage'))
      issue = await kernel.changes.run(call, async (tx) => {
        const { ids } = await findAssignable(tx.db, opened, assignees, issue);
        return await editIssue(tx, opened, issue.id, { assigneeIds: (present) => added(present, ids) });
      });
    return reply(201, await replyIssue(kernel, call, opened, issue));
  },
);

function added(present: readonly string[], ids: readonly string[]): string[] {
  const all = [...new Set([...present, ...ids])];
  if (all.length > MAX_ASSIGNEES) throw tooManyAssignees();
  return all;
}

const remove = issueRoute(
  {
    id: 'issues/remove-assignees',
    method: 'DELETE',
    path: OF_ISSUE,
    summary: 'Remove assignees from an issue',
    description: 'It has no effect when sent by those who may not triage.',
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: AssigneesRemoval,
    reply: { 200: IssueReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    let { issue } = opened;
    const logins = [...new Set(call.body.assignees)];
    if (logins.length > MAX_ASSIGNEES) throw tooManyAssignees();
    if (includesRole(opened.role, 'triage'))
      issue = await kernel.changes.run(call, async (tx) => {
        const accounts = await Promise.all(logins.map((login) => findUser(tx.db, login)));
        const ids = new Set(accounts.map((account) => account?.id));
        return await editIssue(tx, opened, issue.id, {
          assigneeIds: (present) => present.filter((id) => !ids.has(id)),
        });
      });
    return await replyIssue(kernel, call, opened, issue);
  },
);

export const assigneeRoutes = [list, check, checkForIssue, add, remove];
