// The milestones of repositories: those who may write create, change and delete them.
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { planningRoute, UPDATE_ISSUE } from '../issues/access.ts';
import { ISSUE_STATES } from '../issues/issue.ts';
import { showMilestone } from '../issues/show-issues.ts';
import { LabelReply, toLabel } from '../labels/model.ts';
import { listMilestoneLabels } from '../labels/store.ts';
import { HostPageQuery, pageOf, pageSliceOf } from '../list-query.ts';
import { listOwners } from '../owners/store.ts';
import { READ_REPOSITORY, RepositoryParams, type FoundRepository } from '../repositories/access.ts';
import { changeMilestone, createMilestone, milestoneNotFound, removeMilestone } from './change-milestone.ts';
import { MilestoneReply, toMilestone } from './model.ts';
import { checkedMilestoneTitle, editOf, MilestoneCreation, MilestoneUpdate } from './requests.ts';
import { findMilestone, listMilestones } from './store.ts';

const PATH = '/repos/{owner}/{repo}/milestones';

const MilestoneParams = Type.Object({
  ...RepositoryParams,
  milestone_number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

const list = planningRoute(
  {
    id: 'issues/list-milestones',
    method: 'GET',
    path: PATH,
    summary: 'List the milestones of a repository',
    description: 'By the time when they are due; those that are due at no time come last.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      ...HostPageQuery,
      state: OneOf([...ISSUE_STATES, 'all'], { default: 'open' }),
      sort: OneOf(['due_on', 'completeness'], { default: 'due_on' }),
      direction: OneOf(['asc', 'desc'], { default: 'asc' }),
    }),
    list: MilestoneReply,
  },
  'read',
  async ({ query, base }, { db }, found) => {
    const { state, sort, direction } = query;
    const slice = pageSliceOf(query);
    const states = state === 'all' ? ISSUE_STATES : [state];
    const { items, ...count } = await listMilestones(
      db,
      { repositoryNumber: found.repository.number, states },
      { sort, desc: direction === 'desc' },
      slice,
    );
    const creators = await listOwners(
      db,
      items.flatMap(({ creator }) => creator.id ?? []),
    );
    const shown = items.map((one) => toMilestone(showMilestone(one, creators), fullNameOf(found), base));
    return pageOf(shown, count, slice);
  },
);

const create = planningRoute(
  {
    id: 'issues/create-milestone',
    method: 'POST',
    path: PATH,
    summary: 'Create a milestone',
    access: UPDATE_ISSUE,
    params: Type.Object(RepositoryParams),
    body: MilestoneCreation,
    reply: { 201: MilestoneReply },
    isData: true,
  },
  { writes: 'write' },
  async (call, { changes }, found) => {
    const { title, ...sent } = call.body;
    const draft = {
      state: 'open' as const,
      description: null,
      dueOn: null,
      ...editOf(sent),
      title: checkedMilestoneTitle(title),
      creator: { id: accountOf(call.caller).id, name: null },
    };
    const milestone = await changes.run(call, (tx) => createMilestone(tx, found, draft));
    const shown = toMilestone(milestone, fullNameOf(found), call.base);
    return reply(201, shown, { location: shown.url });
  },
);

const get = planningRoute(
  {
    id: 'issues/get-milestone',
    method: 'GET',
    path: `${PATH}/{milestone_number}`,
    summary: 'Get a milestone',
    access: READ_REPOSITORY,
    params: MilestoneParams,
    reply: { 200: MilestoneReply },
  },
  'read',
  async ({ params, base }, { db }, found) => {
    const milestone = await findMilestone(db, found.repository.number, params.milestone_number);
    if (milestone === undefined) throw milestoneNotFound();
    const creators = await listOwners(db, milestone.creator.id === null ? [] : [milestone.creator.id]);
    return toMilestone(showMilestone(milestone, creators), fullNameOf(found), base);
  },
);

const update = planningRoute(
  {
    id: 'issues/update-milestone',
    method: 'PATCH',
    path: `${PATH}/{milestone_number}`,
    summary: 'Change a milestone',
    access: UPDATE_ISSUE,
    params: MilestoneParams,
    body: MilestoneUpdate,
    reply: { 200: MilestoneReply },
    isData: true,
  },
  { writes: 'write' },
  async (call, { changes }, found) => {
    const { params, body, base } = call;
    const edit = editOf(body);
    const milestone = await changes.run(call, (tx) =>
      changeMilestone(tx, found, params.milestone_number, edit),
    );
    return toMilestone(milestone, fullNameOf(found), base);
  },
);

const remove = planningRoute(
  {
    id: 'issues/delete-milestone',
    method: 'DELETE',
    path: `${PATH}/{milestone_number}`,
    summary: 'Delete a milestone',
    description: 'Its issues have none then. Its number is not given again.',
    access: UPDATE_ISSUE,
    params: MilestoneParams,
    reply: { 204: null },
    isData: true,
  },
  { writes: 'write' },
  async (call, { changes }, found) => {
    await changes.run(call, (tx) => removeMilestone(tx, found, call.params.milestone_number));
    return reply(204);
  },
);

const listMilestoneLabelsRoute = planningRoute(
  {
    id: 'issues/list-labels-for-milestone',
    method: 'GET',
    path: `${PATH}/{milestone_number}/labels`,
    summary: 'List the labels of the issues in a milestone',
    description: 'Each once, in the order of their names.',
    access: READ_REPOSITORY,
    params: MilestoneParams,
    query: Type.Object(HostPageQuery),
    list: LabelReply,
  },
  'read',
  async ({ params, query, base }, { db }, found) => {
    const milestone = await findMilestone(db, found.repository.number, params.milestone_number);
    if (milestone === undefined) throw milestoneNotFound();
    const slice = pageSliceOf(query);
    const labels = await listMilestoneLabels(db, milestone.id);
    const url = `${base}/repos/${fullNameOf(found)}`;
    const shown = labels.slice(slice.offset, slice.offset + slice.limit).map((label) => toLabel(label, url));
    return new Page(shown, labels.length, slice);
  },
);

function fullNameOf({ owner, repository }: FoundRepository): string {
  return `${owner.login}/${repository.name}`;
}

export const milestoneRoutes = [list, create, get, update, remove, listMilestoneLabelsRoute];
