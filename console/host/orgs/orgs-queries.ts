// What the pages of organizations read and change.
import { useQuery } from '@tanstack/react-query';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { keyOf, useChange, useRead, type Read } from '../../api/read.ts';
import { useListPages } from '../../lib/list-pages.ts';
import { useGrowingList } from '../issues/growing-list.ts';
import { nextPage, TOPICS as REPOSITORY_TOPICS } from '../queries.ts';
import type { Repository } from '../repository.ts';
import type {
  FullTeam,
  MemberRole,
  Organization,
  OrganizationMember,
  OrganizationName,
  OrganizationTeam,
  OwnMembership,
  RepositoryRoleWord,
  TeamRepository,
  TeamRole,
} from './organization.ts';

const PAGE = 50;
const TOPICS = ['org'];

function orgCall(org: string, rest = ''): Call {
  return { api: 'host', path: path`/orgs/${org}` + rest };
}

const ownId = ({ organization }: OwnMembership) => organization.login;

export function useOwnOrganizations() {
  return useListPages<OwnMembership[], OwnMembership>({
    call: { api: 'host', path: '/user/memberships/orgs' },
    topics: TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: ownId,
  });
}

const organizationId = ({ id }: OrganizationName) => String(id);

/** In the order in which they were created; a page begins after an id. */
export function useAllOrganizations() {
  return useListPages<OrganizationName[], OrganizationName>({
    call: { api: 'host', path: '/organizations' },
    topics: TOPICS,
    first: 0,
    pageQuery: (since) => ({ per_page: PAGE, since }),
    toPage: (rows, since, headers) => ({
      rows,
      next: nextPage(since, headers) === undefined ? undefined : rows.at(-1)?.id,
    }),
    idOf: organizationId,
  });
}

export function newOrganizationCall(login: string, name: string): Call {
  return {
    api: 'host',
    method: 'POST',
    path: '/user/orgs',
    body: { login, ...(name.trim() !== '' && { profile_name: name.trim() }) },
  };
}

export function useCreateOrganization() {
  return useChange<Call, OrganizationName>((call) => call, TOPICS);
}

export function organizationRead(org: string): Read {
  return { call: orgCall(org), topics: TOPICS };
}

export function useOrganization(org: string) {
  return useRead<Organization>(organizationRead(org));
}

/** The API answers that there is none for others than members: then it is null. */
function useOwnRole<Body>(call: Call, isEnabled = true) {
  return useQuery<Body | null, ApiError>({
    queryKey: keyOf(call),
    queryFn: async ({ signal }) => {
      try {
        return (await send<Body>(call, signal)).body;
      } catch (error) {
        if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return null;
        throw error;
      }
    },
    enabled: isEnabled,
    meta: { topics: TOPICS },
  });
}

export function useOwnMembership(org: string) {
  return useOwnRole<OwnMembership>({ api: 'host', path: path`/user/memberships/orgs/${org}` });
}

const repositoryId = ({ id }: { id: number }) => String(id);

export function useOrganizationRepositories(org: string) {
  return useListPages<Repository[], Repository>({
    call: { ...orgCall(org, '/repos'), query: { sort: 'updated', direction: 'desc' } },
    topics: REPOSITORY_TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: repositoryId,
  });
}

export function useOrganizationMembers(org: string, role: string) {
  return useListPages<OrganizationMember[], OrganizationMember>({
    call: { ...orgCall(org, '/members'), query: { role } },
    topics: TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: repositoryId,
  });
}

/** The list of members does not say who is an admin: those are asked for by themselves. */
export function useAdmins(org: string): ReadonlySet<string> | undefined {
  const call = { ...orgCall(org, '/members'), query: { role: 'admin' } };
  const { rows } = useGrowingList<OrganizationMember>({ call, topics: TOPICS }, { isWhole: true });
  return rows && new Set(rows.map(({ login }) => login));
}

export function membershipCall(org: string, login: string, role: MemberRole): Call {
  return { ...orgCall(org, path`/memberships/${login}`), method: 'PUT', body: { role } };
}

export function useSaveMembership() {
  return useChange<Call>((call) => call, TOPICS);
}

export function useRemoveMember(org: string, login: string) {
  return useChange<void>(() => ({ ...orgCall(org, path`/memberships/${login}`), method: 'DELETE' }), TOPICS);
}

export function organizationPatchCall(org: string, body: object): Call {
  return { ...orgCall(org), method: 'PATCH', body };
}

export function useChangeOrganization() {
  return useChange<Call, Organization>((call) => call, TOPICS);
}

export function useDeleteOrganization(org: string) {
  return useChange<void>(() => ({ ...orgCall(org), method: 'DELETE' }), [...TOPICS, ...REPOSITORY_TOPICS]);
}

const teamId = ({ id }: OrganizationTeam) => String(id);

export function useOrganizationTeams(org: string) {
  return useListPages<OrganizationTeam[], OrganizationTeam>({
    call: orgCall(org, '/teams'),
    topics: TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: teamId,
  });
}

function teamCall(org: string, team: string, rest = ''): Call {
  return orgCall(org, path`/teams/${team}` + rest);
}

export function useOrganizationTeam(org: string, team: string) {
  return useRead<FullTeam>({ call: teamCall(org, team), topics: TOPICS });
}

export interface TeamFields {
  name: string;
  description: string;
  privacy: 'closed' | 'secret';
  /** Its slug; empty for none. */
  parent: string;
}

/** Without the slug of a team, a new one. */
export function saveTeamCall(org: string, slug: string | undefined, fields: TeamFields): Call {
  const { name, description, privacy, parent } = fields;
  const body = {
    name: name.trim(),
    description: description.trim(),
    privacy,
    ...((slug !== undefined || parent !== '') && { parent_team_slug: parent === '' ? null : parent }),
  };
  return slug === undefined
    ? { ...orgCall(org, '/teams'), method: 'POST', body }
    : { ...teamCall(org, slug), method: 'PATCH', body };
}

export function useSaveTeam() {
  return useChange<Call, FullTeam>((call) => call, TOPICS);
}

export function useDeleteTeam(org: string, team: string) {
  return useChange<void>(() => ({ ...teamCall(org, team), method: 'DELETE' }), TOPICS);
}

/** Undefined while it is not known, null for somebody who is in it by no way. */
export function useOwnTeamRole(org: string, team: string, login: string | undefined) {
  const call = teamCall(org, team, path`/memberships/${login ?? ''}`);
  const { data } = useOwnRole<{ role: TeamRole }>(call, login !== undefined);
  return data;
}

export function useTeamMembers(org: string, team: string) {
  return useGrowingList<OrganizationMember>({ call: teamCall(org, team, '/members'), topics: TOPICS });
}

export function useMaintainers(org: string, team: string): ReadonlySet<string> | undefined {
  const call = { ...teamCall(org, team, '/members'), query: { role: 'maintainer' } };
  const { rows } = useGrowingList<OrganizationMember>({ call, topics: TOPICS }, { isWhole: true });
  return rows && new Set(rows.map(({ login }) => login));
}

export function teamMembershipCall(org: string, team: string, login: string, role: TeamRole): Call {
  return { ...teamCall(org, team, path`/memberships/${login}`), method: 'PUT', body: { role } };
}

export function useLeaveTeam(org: string, team: string, login: string) {
  return useChange<void>(
    () => ({ ...teamCall(org, team, path`/memberships/${login}`), method: 'DELETE' }),
    TOPICS,
  );
}

export function useTeamRepositories(org: string, team: string) {
  return useGrowingList<TeamRepository>({ call: teamCall(org, team, '/repos'), topics: TOPICS });
}

export function useChildTeams(org: string, team: string) {
  return useGrowingList<OrganizationTeam>({ call: teamCall(org, team, '/teams'), topics: TOPICS });
}

export function teamRepositoryCall(
  org: string,
  team: string,
  repository: string,
  permission: RepositoryRoleWord | null,
): Call {
  const call = teamCall(org, team, path`/repos/${org}/${repository}`);
  return permission === null
    ? { ...call, method: 'DELETE' }
    : { ...call, method: 'PUT', body: { permission } };
}

/** Memberships and repositories of teams. */
export function useChangeTeam() {
  return useChange<Call>((call) => call, TOPICS);
}
