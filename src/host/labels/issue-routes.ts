// The labels of an issue or a pull request: those who triage add, replace and remove them.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import { IssueParams, issueRoute, UPDATE_ISSUE, type OpenedIssue } from '../issues/access.ts';
import { editIssue } from '../issues/change-issue.ts';
import { MAX_LABELS } from '../issues/issue.ts';
import { lockIssue } from '../issues/store.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { READ_REPOSITORY } from '../repositories/access.ts';
import { lockRepository } from '../repositories/store.ts';
import { findOrCreateLabels } from './change-label.ts';
import { LabelReply, toLabel, type Label } from './model.ts';
import { IssueLabels, sentNames } from './requests.ts';
import { repositoryUrl } from './routes.ts';
import { listLabelsByName, listLabelsOf } from './store.ts';

const PATH = '/repos/{owner}/{repo}/issues/{issue_number}/labels';

const FORMS = 'A label that the repository does not have is created, by those who may write.';

const listOnIssue = issueRoute(
  {
    id: 'issues/list-labels-on-issue',
    method: 'GET',
    path: PATH,
    summary: 'List the labels of an issue',
    description: 'In the order of their names.',
    access: READ_REPOSITORY,
    params: IssueParams,
    query: Type.Object(HostPageQuery),
    list: LabelReply,
  },
  'read',
  async ({ query, base }, { db }, opened) => {
    const slice = pageSliceOf(query);
    const { id } = opened.issue;
    const labels = showLabels((await listLabelsOf(db, [id])).get(id), opened, base);
    return new Page(labels.slice(slice.offset, slice.offset + slice.limit), labels.length, slice);
  },
);

const add = issueRoute(
  {
    id: 'issues/add-labels',
    method: 'POST',
    path: PATH,
    summary: 'Add labels to an issue',
    description: FORMS,
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: IssueLabels,
    reply: { 200: Type.Array(LabelReply) },
    isData: true,
  },
  { writes: 'triage' },
  async (call, kernel, opened) => {
    const labels = await putLabels(kernel, call, opened, sentNames(call.body), withOthers);
    return showLabels(labels, opened, call.base);
  },
);

function withOthers(present: readonly Label[], sent: readonly Label[]): readonly Label[] {
  const all = new Map([...present, ...sent].map((label) => [label.id, label]));
  if (all.size > MAX_LABELS) throw problem('labels', `is too long (maximum is ${MAX_LABELS} labels)`);
  return [...all.values()];
}

const set = issueRoute(
  {
    id: 'issues/set-labels',
    method: 'PUT',
    path: PATH,
    summary: 'Replace the labels of an issue',
    description: `An empty list removes all. ${FORMS}`,
    access: UPDATE_ISSUE,
    params: IssueParams,
    body: IssueLabels,
    reply: { 200: Type.Array(LabelReply) },
    isData: true,
  },
  { writes: 'triage' },
  async (call, kernel, opened) => {
    const labels = await putLabels(kernel, call, opened, sentNames(call.body), (_, sent) => sent);
    return showLabels(labels, opened, call.base);
  },
);

const remove = issueRoute(
  {
    id: 'issues/remove-label',
    method: 'DELETE',
    path: `${PATH}/{name}`,
    summary: 'Remove a label from an issue',
    access: UPDATE_ISSUE,
    params: Type.Object({ ...IssueParams.properties, name: PlainText() }),
    reply: { 200: Type.Array(LabelReply) },
    isData: true,
  },
  { writes: 'triage' },
  async (call, { changes }, opened) => {
    const name = foldCase(call.params.name);
    const without = (present: readonly Label[]) => {
      const kept = present.filter((label) => foldCase(label.name) !== name);
      if (kept.length < present.length) return kept;
      throw new Failure('not-found', 'Label does not exist', { code: 'label-missing' });
    };
    const labels = await changes.run(call, (tx) => editLabels(tx, opened, without));
    return showLabels(labels, opened, call.base);
  },
);

const removeAll = issueRoute(
  {
    id: 'issues/remove-all-labels',
    method: 'DELETE',
    path: PATH,
    summary: 'Remove all labels from an issue',
    access: UPDATE_ISSUE,
    params: IssueParams,
    reply: { 204: null },
    isData: true,
  },
  { writes: 'triage' },
  async (call, { changes }, opened) => {
    await changes.run(call, (tx) => editLabels(tx, opened, () => []));
    return reply(204);
  },
);

/** The names are each there once. Returns the labels that the issue has then. `after` says which, by those that it has and those that are named. */
async function putLabels(
  { db, changes }: Kernel,
  call: Parameters<Kernel['changes']['run']>[0],
  opened: OpenedIssue,
  names: readonly string[],
  after: (present: readonly Label[], sent: readonly Label[]) => readonly Label[],
): Promise<readonly Label[]> {
  const { repository, issue } = opened;
  const known = await listLabelsByName(db, repository.number, names);
  const isNew = known.length < names.length;
  return await changes.run(call, async (tx) => {
    // A new label refers to the repository, which is locked before its issues everywhere.
    if (isNew) await lockRepository(tx.db, repository.number);
    await lockIssue(tx.db, issue.id);
    const sent = await findOrCreateLabels(tx, opened, names);
    return await editLabels(tx, opened, (present) => after(present, sent));
  });
}

async function editLabels(
  tx: ChangeTransaction,
  opened: OpenedIssue,
  labels: (present: readonly Label[]) => readonly Label[],
): Promise<readonly Label[]> {
  const { id } = await editIssue(tx, opened, opened.issue.id, { labels });
  return (await listLabelsOf(tx.db, [id])).get(id) ?? [];
}

function showLabels(labels: readonly Label[] = [], opened: OpenedIssue, base: string) {
  const url = repositoryUrl(opened, base);
  return labels.map((label) => toLabel(label, url));
}

export const issueLabelRoutes = [listOnIssue, add, set, remove, removeAll];
