// The teams that a repository was given to.
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { openOrganization, type OrganizationCall } from '../organizations/access.ts';
import { READ_REPOSITORY, repositoryRoute } from '../repositories/access.ts';
import { RepositoryParams } from '../repositories/repository-params.ts';
import { ListedTeam } from './replies.ts';
import { showListedTeams } from './show.ts';
import { listTeamsOfRepository } from './store-repositories.ts';

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

export const teamsOfRepositoryRoutes = [listTeams];
