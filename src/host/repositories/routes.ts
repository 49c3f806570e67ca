// Repositories: create, get, change, delete; topics and languages.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageSliceOf, pageLinks } from '../list-query.ts';
import { organizationNameIn, OrganizationParams } from '../organizations/access.ts';
import { findOrganization } from '../organizations/store.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { giveToTeams } from '../teams/change.ts';
import { GAVE_REPOSITORY, recordTeamRepositoryChange } from '../teams/record-team.ts';
import { READ_REPOSITORY, repositoryRoute, UPDATE_REPOSITORY, RepositoryParams } from './access.ts';
import { changeRepository, removeRepository } from './changes/change-repository.ts';
import { createRepository } from './changes/create-repository.ts';
import { findCreationOwner } from './changes/creation-owner.ts';
import { FullRepository, toFullRepository } from './model.ts';
import { isPrivateIn, RepositoryCreation, RepositoryPatch } from './requests.ts';
import { showFully } from './show-repository.ts';

const createForCaller = route(
  {
    id: 'repos/create-for-authenticated-user',
    method: 'POST',
    path: '/user/repos',
    summary: 'Create a repository of the caller',
    access: { action: 'createRepository' },
    body: RepositoryCreation,
    reply: { 201: FullRepository },
  },
  async (call, kernel) => {
    const { caller, body, base } = call;
    const owner = ownerOfAccount(accountOf(caller));
    call.requirePermission(`repo/${owner.login}/${body.name}`);
    if (body.team_id !== undefined) throw problem('team_id', 'is for repositories of organizations');
    const found = await createRepository(kernel, call, owner, body);
    const shown = toFullRepository(await showFully(kernel.db, caller, found), base);
    return reply(201, shown, { location: shown.url });
  },
);

const createInOrganization = route(
  {
    id: 'repos/create-in-org',
    method: 'POST',
    path: '/orgs/{org}/repos',
    summary: 'Create a repository of an organization',
    access: { action: 'createRepository' },
    params: Type.Object(OrganizationParams),
    body: RepositoryCreation,
    reply: { 201: FullRepository },
  },
  async (call, kernel) => {
    const { caller, params, body, base } = call;
    const organization = await findOrganization(kernel.db, organizationNameIn(params));
    if (organization === undefined) throw new Failure('not-found', 'There is no such organization');
    call.requirePermission(`repo/${organization.login}/${body.name}`);
    const owner = await findCreationOwner(kernel.db, caller, organization.login, isPrivateIn(body) ?? false);
    const { team_id: teamId } = body;
    const found = await createRepository(kernel, call, owner, body, async (tx, created) => {
      if (teamId === undefined) return;
      const [grant] = await giveToTeams(tx, caller, created, { field: 'team_id', ids: [teamId] });
      recordTeamRepositoryChange(tx, grant!, created, { verb: GAVE_REPOSITORY, after: grant!.role });
    });
    const shown = toFullRepository(await showFully(kernel.db, caller, found), base);
    return reply(201, shown, { location: shown.url });
  },
);

const getRepository = repositoryRoute(
  {
    id: 'repos/get',
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    summary: 'Get a repository',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    reply: { 200: FullRepository },
    isKept: true,
  },
  'read',
  async ({ caller, base }, { db }, found) =>
    reply(200, toFullRepository(await showFully(db, caller, found), base), {
      'last-modified': new Date(found.repository.updatedAt).toUTCString(),
    }),
);

const patchRepository = repositoryRoute(
  {
    id: 'repos/update',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}',
    summary: 'Change a repository',
    access: UPDATE_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: RepositoryPatch,
    reply: { 200: FullRepository },
  },
  'admin',
  async (call, kernel, found) => {
    const changed = await changeRepository(kernel, call, found, call.body);
    return toFullRepository(await showFully(kernel.db, call.caller, changed), call.base);
  },
);

const deleteRepository = repositoryRoute(
  {
    id: 'repos/delete',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}',
    summary: 'Delete a repository',
    description: 'It is gone at once; its files are deleted in the background.',
    access: { action: 'deleteRepository', ofOwner: true },
    params: Type.Object(RepositoryParams),
    reply: { 204: null },
  },
  'admin',
  async (call, kernel, found) => {
    await removeRepository(kernel, call, found);
    return reply(204);
  },
);

const listLanguages = repositoryRoute(
  {
    id: 'repos/list-languages',
    method: 'GET',
    path: '/repos/{owner}/{repo}/languages',
    summary: 'Get the bytes of each language',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    reply: { 200: Type.Record(Type.String(), Type.Integer(), { $id: 'language' }) },
  },
  'read',
  (_call, _kernel, { repository }) => repository.languages,
);

const Topics = Type.Object({ names: Type.Array(Type.String()) }, { $id: 'topic' });

const getTopics = repositoryRoute(
  {
    id: 'repos/get-all-topics',
    method: 'GET',
    path: '/repos/{owner}/{repo}/topics',
    summary: 'Get the topics of a repository',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    reply: { 200: Topics },
  },
  'read',
  ({ query, base, url }, _kernel, { repository: { topics } }) => {
    const slice = pageSliceOf(query);
    const names = topics.slice(slice.offset, slice.offset + slice.limit);
    return reply(200, { names }, pageLinks(new Page(names, topics.length, slice), base, url));
  },
);

const SentTopics = Type.Object({
  names: Type.Array(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,49}$',
      description: 'Letters, digits and hyphens; stored in lower case',
    }),
    { maxItems: 20 },
  ),
});

const replaceTopics = repositoryRoute(
  {
    id: 'repos/replace-all-topics',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/topics',
    summary: 'Replace the topics of a repository',
    access: UPDATE_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: SentTopics,
    reply: { 200: Topics },
  },
  'maintain',
  async (call, kernel, found) => {
    const topics = new Set(call.body.names.map((name) => name.toLowerCase()));
    const { repository } = await changeRepository(kernel, call, found, {}, [...topics]);
    return { names: repository.topics };
  },
);

export const hostRepositoryRoutes = [
  createForCaller,
  createInOrganization,
  getRepository,
  patchRepository,
  deleteRepository,
  listLanguages,
  getTopics,
  replaceTopics,
];
