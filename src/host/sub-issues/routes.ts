// Sub-issues: the parent of an issue, the list of its own sub-issues, and changes of both.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { IssueParams, issueNotFound, issueRoute, UPDATE_ISSUE, type OpenedIssue } from '../issues/access.ts';
import { IssueReply } from '../issues/model.ts';
import { listIssuesById } from '../issues/store.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { READ_REPOSITORY } from '../repositories/access.ts';
import { viewerFor } from '../repositories/visibility.ts';
import { IssueId, openOtherIssue } from './access.ts';
import { addSubIssue, MAX_LEVELS, MAX_SUB_ISSUES, noSuchSubIssue, removeSubIssue } from './change-links.ts';
import {
  replyLinkedIssues,
  replyShownLinkedIssues,
  showLinkedIssues,
  type ShowingCall,
} from './show-linked.ts';
import { listSubIssueIds, listSubIssues, lockIssueLinks, updatePositions } from './store.ts';

const SubIssueId = Type.Integer({
  ...IssueId,
  description: 'The `id` of the issue, which is not its number',
});

const getParent = issueRoute(
  {
    id: 'issues/get-parent',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/parent',
    summary: 'Get the issue that an issue is a sub-issue of',
    access: READ_REPOSITORY,
    params: IssueParams,
    reply: { 200: IssueReply },
  },
  'read',
  async (call, kernel, { issue }) => {
    const { parentId } = issue;
    const parent =
      parentId === null ? undefined : (await listIssuesById(kernel.db, [parentId])).get(parentId);
    const [shown] = parent === undefined ? [] : await replyLinkedIssues(kernel, call, [parent]);
    if (shown === undefined) throw issueNotFound();
    return shown;
  },
);

const listSubIssuesRoute = issueRoute(
  {
    id: 'issues/list-sub-issues',
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/sub_issues',
    summary: 'List the sub-issues of an issue',
    description: 'In the order that people gave them, without those that the caller may not see.',
    access: READ_REPOSITORY,
    params: IssueParams,
    query: Type.Object(HostPageQuery),
    list: IssueReply,
  },
  'read',
  async (call, kernel, { issue }) => {
    const slice = pageSliceOf(call.query);
    const { items, total } = await listSubIssues(kernel.db, issue, viewerFor(call.caller), slice);
    return new Page(await replyLinkedIssues(kernel, call, items), total, slice);
  },
);

const addSubIssueRoute = issueRoute(
  {
    id: 'issues/add-sub-issue',
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/sub_issues',
    summary: 'Add a sub-issue to an issue',
    description:
      `At most ${MAX_SUB_ISSUES} for each issue, in at most ${MAX_LEVELS} levels. The sub-issue may be in another ` +
      'repository of the same owner, where the caller needs the role `triage` too. The reply is the parent.',
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: Type.Object({
      sub_issue_id: SubIssueId,
      replace_parent: Type.Optional(
        Type.Boolean({ description: 'Whether it leaves the parent that it has', default: false }),
      ),
    }),
    reply: { 201: IssueReply },
    isData: true,
  },
  { writes: 'triage' },
  async (call, kernel, opened) => {
    const { sub_issue_id: id, replace_parent: replacesParent = false } = call.body;
    const other = { id, use: { writes: 'triage' }, missing: noSuchSubIssue } as const;
    const subIssue = await openOtherIssue(kernel, call, opened, other);
    const link = { parentId: opened.issue.id, subIssueId: subIssue.id };
    const shown = await changeAndShow(kernel, call, opened, (tx) =>
      addSubIssue(tx, link, { replacesParent }),
    );
    return reply(201, shown, { location: `${shown.url}/sub_issues` });
  },
);

const removeSubIssueRoute = issueRoute(
  {
    id: 'issues/remove-sub-issue',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/sub_issue',
    summary: 'Remove a sub-issue from an issue',
    description: 'The sub-issue itself stays. The reply is the former parent.',
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: Type.Object({ sub_issue_id: SubIssueId }),
    reply: { 200: IssueReply },
    isData: true,
  },
  { writes: 'triage' },
  async (call, kernel, opened) => {
    const other = { id: call.body.sub_issue_id, use: 'read', missing: noSuchSubIssue } as const;
    const subIssue = await openOtherIssue(kernel, call, opened, other);
    const link = { parentId: opened.issue.id, subIssueId: subIssue.id };
    return await changeAndShow(kernel, call, opened, (tx) => removeSubIssue(tx, link));
  },
);

const Priority = Type.Object({
  sub_issue_id: SubIssueId,
  after_id: Type.Optional(Type.Integer({ ...IssueId, description: 'The sub-issue that it comes after' })),
  before_id: Type.Optional(Type.Integer({ ...IssueId, description: 'The sub-issue that it comes before' })),
});

const reprioritize = issueRoute(
  {
    id: 'issues/reprioritize-sub-issue',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/issues/{issue_number}/sub_issues/priority',
    summary: 'Move a sub-issue among the others',
    description: 'Either `after_id` or `before_id` says where. The reply is the parent.',
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: Priority,
    reply: { 200: IssueReply },
    isData: true,
  },
  { writes: 'triage' },
  async (call, kernel, opened) => {
    const { id: parentId } = opened.issue;
    const whole = { offset: 0, limit: MAX_SUB_ISSUES };
    return await changeAndShow(kernel, call, opened, async ({ db }) => {
      await lockIssueLinks(db);
      const seen = await listSubIssues(db, opened.issue, viewerFor(call.caller), whole);
      const known = new Set(seen.items.map(({ id }) => id));
      await updatePositions(db, moved(await listSubIssueIds(db, parentId), known, call.body));
    });
  },
);

/** `known` are those that the caller sees, and may therefore name. */
function moved(
  ids: readonly number[],
  known: ReadonlySet<number>,
  { sub_issue_id: id, after_id: after, before_id: before }: Static<typeof Priority>,
): number[] {
  if ((after === undefined) === (before === undefined))
    throw problem('', 'either after_id or before_id is required');
  const [field, neighbour] =
    after === undefined ? (['before_id', before!] as const) : (['after_id', after] as const);
  if (!known.has(id)) throw noSuchSubIssue();
  if (!known.has(neighbour) || neighbour === id)
    throw problem(field, 'must be another sub-issue of the issue');
  const others = ids.filter((one) => one !== id);
  return others.toSpliced(others.indexOf(neighbour) + (field === 'after_id' ? 1 : 0), 0, id);
}

/** The reply is the issue as the change has left it. */
export async function changeAndShow(
  kernel: Kernel,
  call: ChangeActor & ShowingCall,
  { issue }: OpenedIssue,
  change: (tx: ChangeTransaction) => Promise<void>,
): Promise<Static<typeof IssueReply>> {
  const changed = await kernel.changes.run(call, async (tx) => {
    await change(tx);
    const present = await listIssuesById(tx.db, [issue.id]);
    const linked = await showLinkedIssues(tx.db, call.caller, [...present.values()]);
    if (linked.shown.length === 0) throw issueNotFound();
    return linked;
  });
  return (await replyShownLinkedIssues(kernel, call, changed))[0]!;
}

export const subIssueRoutes = [
  getParent,
  listSubIssuesRoute,
  addSubIssueRoute,
  removeSubIssueRoute,
  reprioritize,
];
