// Dependencies: which issues block an issue, which it blocks, and changes of the former.
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { IssueParams, issueRoute, UPDATE_ISSUE } from '../issues/access.ts';
import { IssueReply } from '../issues/model.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { READ_REPOSITORY } from '../repositories/access.ts';
import { viewerFor } from '../repositories/visibility.ts';
import { IssueId, openOtherIssue } from './access.ts';
import { addDependency, MAX_DEPENDENCIES, noSuchBlocker, removeDependency } from './change-links.ts';
import { changeAndShow } from './routes.ts';
import { replyLinkedIssues } from './show-linked.ts';
import { listDependencies, type DependencyDirection } from './store-dependencies.ts';

const PATH = '/repos/{owner}/{repo}/issues/{issue_number}/dependencies';

const listRoute = (direction: DependencyDirection, id: string, summary: string) =>
  issueRoute(
    {
      id,
      method: 'GET',
      path: `${PATH}/${direction}`,
      summary,
      description: 'Without those that the caller may not see.',
      access: READ_REPOSITORY,
      params: IssueParams,
      query: Type.Object(HostPageQuery),
      list: IssueReply,
    },
    'read',
    async (call, kernel, { issue }) => {
      const slice = pageSliceOf(call.query);
      const filter = { direction, viewer: viewerFor(call.caller) };
      const { items, total } = await listDependencies(kernel.db, issue, filter, slice);
      return new Page(await replyLinkedIssues(kernel, call, items), total, slice);
    },
  );

const listBlockedBy = listRoute(
  'blocked_by',
  'issues/list-dependencies-blocked-by',
  'List the issues that block an issue',
);

const listBlocking = listRoute(
  'blocking',
  'issues/list-dependencies-blocking',
  'List the issues that an issue blocks',
);

const addBlocker = issueRoute(
  {
    id: 'issues/add-blocked-by-dependency',
    method: 'POST',
    path: `${PATH}/blocked_by`,
    summary: 'Say that an issue is blocked by another',
    description:
      `At most ${MAX_DEPENDENCIES} in each direction, and never in a circle. The other may be in another repository, ` +
      'where the caller needs the role `triage` too. The reply is the issue that is blocked.',
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: Type.Object({
      issue_id: Type.Integer({
        ...IssueId,
        description: 'The `id` of the issue that blocks it, which is not its number',
      }),
    }),
    reply: { 201: IssueReply },
    isData: true,
  },
  { writes: 'triage' },
  async (call, kernel, opened) => {
    const other = { id: call.body.issue_id, use: { writes: 'triage' }, missing: noSuchBlocker } as const;
    const { id: blockingId } = await openOtherIssue(kernel, call, opened, other);
    const dependency = { blockedId: opened.issue.id, blockingId };
    const shown = await changeAndShow(kernel, call, opened, (tx) => addDependency(tx, dependency));
    return reply(201, shown, { location: `${shown.url}/dependencies/blocked_by` });
  },
);

const removeBlocker = issueRoute(
  {
    id: 'issues/remove-dependency-blocked-by',
    method: 'DELETE',
    path: `${PATH}/blocked_by/{issue_id}`,
    summary: 'Say that an issue is no longer blocked by another',
    description: 'The reply is the issue that was blocked.',
    access: UPDATE_ISSUE,
    params: Type.Object({ ...IssueParams.properties, issue_id: IssueId }),
    reply: { 200: IssueReply },
    isData: true,
  },
  { writes: 'triage' },
  async (call, kernel, opened) => {
    const other = { id: call.params.issue_id, use: 'read', missing: noSuchBlocker } as const;
    const { id: blockingId } = await openOtherIssue(kernel, call, opened, other);
    const dependency = { blockedId: opened.issue.id, blockingId };
    return await changeAndShow(kernel, call, opened, (tx) => removeDependency(tx, dependency));
  },
);

export const dependencyRoutes = [listBlockedBy, listBlocking, addBlocker, removeBlocker];
