// Organizations, their members and teams, as the host API has them.
import type { Repository } from '../repository.ts';

export interface OrganizationName {
  id: number;
  login: string;
  description: string | null;
}

export interface Organization extends OrganizationName {
  name?: string;
  company?: string;
  blog?: string;
  location?: string;
  email?: string;
  public_repos: number;
  created_at: string;
  /** Only its admins get what follows. */
  total_private_repos?: number;
  default_repository_permission?: string;
  members_allowed_repository_creation_type?: string;
  members_can_fork_private_repositories?: boolean;
}

export function isAdminOf(organization: Organization): boolean {
  return organization.default_repository_permission !== undefined;
}

export type MemberRole = 'admin' | 'member';

export interface OwnMembership {
  role: MemberRole;
  organization: OrganizationName;
  permissions: { can_create_repository: boolean };
}

export interface OrganizationMember {
  id: number;
  login: string;
}

export type TeamRole = 'maintainer' | 'member';

export interface OrganizationTeam {
  id: number;
  name: string;
  slug: string;
  description: string | null;
  /** Members of the organization see closed teams; secret ones are seen by their own members and by admins. */
  privacy: 'closed' | 'secret';
  parent: { name: string; slug: string } | null;
}

export interface FullTeam extends OrganizationTeam {
  members_count: number;
  repos_count: number;
}

/** From least to most. */
export const REPOSITORY_ROLES = ['pull', 'triage', 'push', 'maintain', 'admin'] as const;
export type RepositoryRoleWord = (typeof REPOSITORY_ROLES)[number];

/** The permissions are those of the team. */
export type TeamRepository = Omit<Repository, 'permissions'> & {
  permissions?: Partial<Record<RepositoryRoleWord, boolean>>;
};

export function roleOfTeam({ permissions = {} }: TeamRepository): RepositoryRoleWord {
  return REPOSITORY_ROLES.findLast((role) => permissions[role] === true) ?? 'pull';
}

export function organizationHref(login: string, rest = ''): string {
  return `/orgs/${encodeURIComponent(login)}${rest}`;
}

export function teamHref(login: string, slug: string): string {
  return organizationHref(login, `/teams/${encodeURIComponent(slug)}`);
}
