// Who has access to a repository: people, teams, and the roles that there are.
import { path, type Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { useGrowingList } from '../issues/growing-list.ts';
import type { RepositoryPlace } from '../place.ts';
import { repositoryCall } from '../queries.ts';
import type { Repository } from '../repository.ts';
import { ACCESS } from './access-words.ts';

export const ACCESS_TOPICS = ['repo', 'org', 'team'];

export interface Collaborator {
  id: number;
  login: string;
  role_name: string;
}

export interface RepositoryTeam {
  id: number;
  slug: string;
  name: string;
  description: string | null;
  /** `pull` and `push` are what others name `read` and `write`. */
  permission: string;
}

export type Affiliation = 'direct' | 'all';

export function useCollaborators(place: RepositoryPlace, affiliation: Affiliation, permission?: string) {
  const call = repositoryCall(place, '/collaborators', { affiliation, permission });
  return useGrowingList<Collaborator>({ call, topics: ACCESS_TOPICS });
}

export function useRepositoryTeams(place: RepositoryPlace, isEnabled = true) {
  const call = repositoryCall(place, '/teams');
  return useGrowingList<RepositoryTeam>({ call, topics: ACCESS_TOPICS }, { isEnabled });
}

export function useTeamsOf(organization: string) {
  const call: Call = { api: 'host', path: path`/orgs/${organization}/teams` };
  return useGrowingList<RepositoryTeam>({ call, topics: ACCESS_TOPICS });
}

export function useFoundUsers(words: string) {
  return useRead<{ items: { id: number; login: string }[] }>(
    { call: { api: 'host', path: '/search/users', query: { q: words, per_page: 8 } } },
    { isEnabled: words !== '', keepsPrevious: true },
  );
}

const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const;

export interface RoleOption {
  value: string;
  label: string;
  text: string | undefined;
}

/** Those that every repository has, and those of the organization. */
export function useRoles({ organization }: Repository): RoleOption[] {
  const { data } = useRead<{ custom_roles: { name: string; description: string | null }[] }>(
    { call: { api: 'host', path: path`/orgs/${organization?.login ?? ''}/custom-repository-roles` } },
    { isEnabled: organization !== undefined && organization !== null },
  );
  return [
    ...ROLES.map((role) => ({ value: role, label: roleLabel(role), text: ACCESS.roleTexts[role] })),
    ...(data?.custom_roles ?? []).map(({ name, description }) => ({
      value: name,
      label: name,
      text: description ?? undefined,
    })),
  ];
}

export function roleLabel(role: string): string {
  return Object.hasOwn(ACCESS.roles, role) ? ACCESS.roles[role]! : role;
}

/** In the word that collaborators have. */
export function roleOfTeam({ permission }: RepositoryTeam): string {
  if (permission === 'pull') return 'read';
  return permission === 'push' ? 'write' : permission;
}

export function putPersonCall(place: RepositoryPlace, login: string, role: string): Call {
  return {
    ...repositoryCall(place, path`/collaborators/${login}`),
    method: 'PUT',
    body: { permission: role },
  };
}

export function removePersonCall(place: RepositoryPlace, login: string): Call {
  return { ...repositoryCall(place, path`/collaborators/${login}`), method: 'DELETE' };
}

function teamPath({ owner, repo }: RepositoryPlace, slug: string): string {
  return path`/orgs/${owner}/teams/${slug}/repos/${owner}/${repo}`;
}

export function putTeamCall(place: RepositoryPlace, slug: string, role: string): Call {
  return { api: 'host', method: 'PUT', path: teamPath(place, slug), body: { permission: role } };
}

export function removeTeamCall(place: RepositoryPlace, slug: string): Call {
  return { api: 'host', method: 'DELETE', path: teamPath(place, slug) };
}
