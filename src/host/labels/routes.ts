// The labels of repositories: those who may write create, change and delete them.
import { reply } from '../../kernel/http/route.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import { planningRoute, UPDATE_ISSUE } from '../issues/access.ts';
import { HostPageQuery, pageOf, pageSliceOf } from '../list-query.ts';
import { READ_REPOSITORY, RepositoryParams, type FoundRepository } from '../repositories/access.ts';
import { changeLabel, createLabel, labelNotFound, removeLabel } from './change-label.ts';
import { LabelReply, toLabel } from './model.ts';
import { checkedLabelName, LabelCreation, LabelUpdate, PLAIN_COLOR } from './requests.ts';
import { listLabels, listLabelsByName } from './store.ts';

const PATH = '/repos/{owner}/{repo}/labels';

const LabelParams = Type.Object({ ...RepositoryParams, name: PlainText() });

const listForRepo = planningRoute(
  {
    id: 'issues/list-labels-for-repo',
    method: 'GET',
    path: PATH,
    summary: 'List the labels of a repository',
    description: 'In the order of their names.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    list: LabelReply,
  },
  'read',
  async ({ query, base }, { db }, found) => {
    const slice = pageSliceOf(query);
    const { items, ...count } = await listLabels(db, found.repository.number, slice);
    const url = repositoryUrl(found, base);
    return pageOf(
      items.map((label) => toLabel(label, url)),
      count,
      slice,
    );
  },
);

const create = planningRoute(
  {
    id: 'issues/create-label',
    method: 'POST',
    path: PATH,
    summary: 'Create a label',
    description: `Without a color it has ${PLAIN_COLOR}.`,
    access: UPDATE_ISSUE,
    params: Type.Object(RepositoryParams),
    body: LabelCreation,
    reply: { 201: LabelReply },
    isData: true,
  },
  { writes: 'write' },
  async (call, { changes }, found) => {
    const { name, color = PLAIN_COLOR, description } = call.body;
    const fields = { name: checkedLabelName('name', name), color, description: description || null };
    const label = await changes.run(call, (tx) => createLabel(tx, found, fields));
    const shown = toLabel(label, repositoryUrl(found, call.base));
    return reply(201, shown, { location: shown.url });
  },
);

const get = planningRoute(
  {
    id: 'issues/get-label',
    method: 'GET',
    path: `${PATH}/{name}`,
    summary: 'Get a label',
    access: READ_REPOSITORY,
    params: LabelParams,
    reply: { 200: LabelReply },
  },
  'read',
  async ({ params, base }, { db }, found) => {
    const [label] = await listLabelsByName(db, found.repository.number, [params.name]);
    if (label === undefined) throw labelNotFound();
    return toLabel(label, repositoryUrl(found, base));
  },
);

const update = planningRoute(
  {
    id: 'issues/update-label',
    method: 'PATCH',
    path: `${PATH}/{name}`,
    summary: 'Change a label',
    description: 'Issues keep it under its new name.',
    access: UPDATE_ISSUE,
    params: LabelParams,
    body: LabelUpdate,
    reply: { 200: LabelReply },
    isData: true,
  },
  { writes: 'write' },
  async (call, { changes }, found) => {
    const { new_name: name, color, description } = call.body;
    const sent = {
      ...(name !== undefined && { name: checkedLabelName('new_name', name) }),
      ...(color !== undefined && { color }),
      ...(description !== undefined && { description: description || null }),
    };
    const label = await changes.run(call, (tx) => changeLabel(tx, found, call.params.name, sent));
    return toLabel(label, repositoryUrl(found, call.base));
  },
);

const remove = planningRoute(
  {
    id: 'issues/delete-label',
    method: 'DELETE',
    path: `${PATH}/{name}`,
    summary: 'Delete a label',
    description: 'All issues lose it.',
    access: UPDATE_ISSUE,
    params: LabelParams,
    reply: { 204: null },
    isData: true,
  },
  { writes: 'write' },
  async (call, { changes }, found) => {
    await changes.run(call, (tx) => removeLabel(tx, found, call.params.name));
    return reply(204);
  },
);

export function repositoryUrl({ owner, repository }: FoundRepository, base: string): string {
  return `${base}/repos/${owner.login}/${repository.name}`;
}

export const labelRoutes = [listForRepo, create, get, update, remove];
