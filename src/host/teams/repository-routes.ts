// Repositories of a team: list, check, add, change the role, remove; and the teams of a repository.
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import { installationOf } from '../apps/program.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { parseAcceptedType } from '../media-type.ts';
import { VIEW_AS_MEMBER, openOrganization, type OrganizationCall } from '../organizations/access.ts';
import { deleteStrandedTeams } from '../protection/store-actors.ts';
import {
  REPOSITORY_CHANNEL,
  repositoryNotFound,
  READ_REPOSITORY,
  repositoryRoute,
  RepositoryParams,
} from '../repositories/access.ts';
import { MinimalRepository, toMinimalRepository, toNestedRepository } from '../repositories/model.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import type { Viewer } from '../repositories/store-visibility.ts';
import { viewerFor } from '../repositories/visibility.ts';
import { readGrantedRole } from '../repository-roles/store.ts';
import {
  openOrganizationTeam,
  openOrganizationTeamForChange,
  type TeamCall,
  TeamParams,
  teamPlaces,
} from './access.ts';
import {
  GAVE_REPOSITORY,
  recordTeamRepositoryChange,
  UPDATE_TEAM_REPOSITORIES,
  recordTeamRepository,
} from './record-team.ts';
import { roleOfPermission, checkOwned, listTeamRepositoryRoles, openTeamRepository } from './change.ts';
import { TeamRepository, ListedTeam } from './model.ts';
import { showListedTeams } from './show.ts';
import {
  deleteTeamRepository,
  listTeamGrants,
  listTeamRepositories,
  saveTeamRepository,
  listTeamsOfRepository,
} from './store-repositories.ts';
import { listWithAncestors } from './store.ts';

const TeamRepositoryParams = Type.Object({ ...TeamParams, owner: Type.String(), repo: Type.String() });

const listAll = route(
  {
    id: 'teams/list-repos-in-org',
    method: 'GET',
    ...teamPlaces('/repos'),
    summary: 'List the repositories of a team and of its parents that the caller sees',
    access: VIEW_AS_MEMBER,
    params: Type.Object(TeamParams),
    query: Type.Object(HostPageQuery),
    list: MinimalRepository,
  },
  async (call, { db }) => {
    const { organization, team } = await openOrganizationTeam(db, call, 'viewer');
    const slice = pageSliceOf(call.query);
    const teams = await listWithAncestors(db, team.number);
    const { items, total } = await listTeamRepositories(db, teams, viewerOfTeam(call), slice);
    const [repositories, roles] = await Promise.all([
      listRepositoriesByNumber(db, items),
      listTeamRepositoryRoles(db, organization.id, teams, items),
    ]);
    const rows = items.flatMap((number) => repositories.get(number) ?? []);
    const shown = await showRepositories(db, call.caller, rows);
    return new Page(
      shown.map((one) => {
        const { role } = roles.get(one.repository.number) ?? {};
        return toMinimalRepository({ ...one, role }, call.base);
      }),
      total,
      slice,
    );
  },
);

/** For an installation, those of its bot: it may reach some of the others only. */
function viewerOfTeam({ caller }: TeamCall): Viewer {
  return installationOf(caller) === undefined ? viewerFor(caller) : { accountId: accountOf(caller).id };
}

const checkOne = route(
  {
    id: 'teams/check-permissions-for-repo-in-org',
    method: 'GET',
    ...teamPlaces('/repos/{owner}/{repo}'),
    summary: 'Check whether a team, or a parent of it, has a repository',
    description: 'With the media type application/vnd.host.v3.repository+json the reply is the repository.',
    access: VIEW_AS_MEMBER,
    params: TeamRepositoryParams,
    reply: { 204: null, 200: TeamRepository },
  },
  async (call, { db }) => {
    const { organization, team } = await openOrganizationTeam(db, call, 'viewer');
    const found = await openTeamRepository(db, call, call.params, 'read');
    const teams = await listWithAncestors(db, team.number);
    const { number } = found.repository;
    const granted = (await listTeamRepositoryRoles(db, organization.id, teams, [number])).get(number);
    if (granted === undefined) throw repositoryNotFound();
    if (!wantsRepository(call.headers['accept'])) return reply(204);
    const shown = toNestedRepository({ ...found, role: granted.role }, call.base);
    return reply(200, { ...shown, role_name: granted.name });
  },
);

function wantsRepository(accept: string | string[] | undefined): boolean {
  const types = String(accept ?? '').split(',');
  return types.some((type) => parseAcceptedType(type)?.param === 'repository');
}

const putOne = route(
  {
    id: 'teams/add-or-update-repo-permissions-in-org',
    method: 'PUT',
    ...teamPlaces('/repos/{owner}/{repo}'),
    summary: 'Give a repository to a team, or change the role of the team on it',
    description:
      'Takes admin rights to the repository. The permission may be the name of a custom repository role.',
    access: { action: UPDATE_TEAM_REPOSITORIES, ofOwner: true },
    params: TeamRepositoryParams,
    body: Type.Object({ permission: Type.Optional(PlainText({ maxLength: 100 })) }),
    bodyIsOptional: true,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    const word = call.body?.permission;
    await changes.run(call, async (tx) => {
      const opened = await openOrganizationTeamForChange(tx.db, call, 'viewer');
      const { organization, team } = opened;
      const found = await openTeamRepository(tx.db, call, call.params, 'admin');
      checkOwned(found, organization, 'repo');
      const repositoryNumber = found.repository.number;
      const role =
        word === undefined ? roleOfPermission(team) : await readGrantedRole(tx.db, organization.id, word);
      const [before] = await listTeamGrants(tx.db, [team.number], [repositoryNumber]);
      if (before?.role === role) return;
      await saveTeamRepository(tx.db, team.number, { repositoryNumber, role }, call.now);
      await deleteStrandedTeams(tx.db, found.repository);
      recordTeamRepositoryChange(tx, opened, found, {
        verb: GAVE_REPOSITORY,
        before: before?.role,
        after: role,
      });
      await recordTeamRepository(tx, opened, found, { before: before?.role, after: role });
      await tx.invalidate(REPOSITORY_CHANNEL);
    });
    return reply(204);
  },
);

const deleteOne = route(
  {
    id: 'teams/remove-repo-in-org',
    method: 'DELETE',
    ...teamPlaces('/repos/{owner}/{repo}'),
    summary: 'Take a repository from a team',
    description: 'Takes admin rights to the repository, or to be a maintainer of the team.',
    access: { action: UPDATE_TEAM_REPOSITORIES, ofOwner: true },
    params: TeamRepositoryParams,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const opened = await openOrganizationTeamForChange(tx.db, call, 'viewer');
      const { team, isMaintainer } = opened;
      const found = await openTeamRepository(tx.db, call, call.params, isMaintainer ? 'read' : 'admin');
      const { number } = found.repository;
      const [before] = await listTeamGrants(tx.db, [team.number], [number]);
      // What is not there any more is what the caller wants.
      if (before === undefined) return;
      await deleteTeamRepository(tx.db, team.number, number);
      await deleteStrandedTeams(tx.db, found.repository);
      recordTeamRepositoryChange(tx, opened, found, {
        verb: 'took from a team the repository',
        before: before.role,
      });
      await recordTeamRepository(tx, opened, found, { before: before.role });
      await tx.invalidate(REPOSITORY_CHANNEL);
    });
    return reply(204);
  },
);

const listTeams = repositoryRoute(
  {
    id: 'repos/list-teams',
    method: 'GET',
    path: '/repos/{owner}/{repo}/teams',
    summary: 'List the teams of a repository that the caller sees',
    description: 'With what each may do there. Teams are seen by members of their organization.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    list: ListedTeam,
  },
  'read',
  async (call, { db }, { repository, owner }) => {
    const slice = pageSliceOf(call.query);
    const { caller, base } = call;
    if (owner.type !== 'Organization' || caller.kind === 'anonymous') return new Page([], 0, slice);
    const asked: OrganizationCall = {
      caller,
      can: (resource) => call.can(resource, 'viewOrganization'),
      requirePermission: (resource) => call.requirePermission(resource, 'viewOrganization'),
      params: { org: owner.login },
    };
    const { organization, isAdmin, isInsider } = await openOrganization(db, asked, 'anyone');
    if (!isInsider) return new Page([], 0, slice);
    const viewer = isAdmin ? undefined : accountOf(caller).id;
    const { items, total } = await listTeamsOfRepository(db, repository.number, viewer, slice);
    const shown = await showListedTeams(
      db,
      organization,
      items.map(({ team }) => team),
      base,
    );
    return new Page(
      shown.map((team, index) => ({ ...team, permission: permissionOf(items[index]!.role) })),
      total,
      slice,
    );
  },
);

/** Two roles have other names in replies about teams. */
function permissionOf(role: string): string {
  if (role === 'read') return 'pull';
  return role === 'write' ? 'push' : role;
}

export const organizationTeamRepositoryRoutes = [listAll, checkOne, putOne, deleteOne, listTeams];
