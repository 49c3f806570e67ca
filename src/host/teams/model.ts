// Teams of an organization: groups of its members who share repositories, as rules know them and as replies show them. Teams nest, and children have what parents have.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import type { Organization } from '../organizations/model.ts';
import { TeamOrganization, toTeamOrganization } from '../organizations/replies.ts';
import { NestedRepository } from '../repositories/model.ts';
import { isoSeconds } from '../times.ts';
import { siteOf } from '../site.ts';

export type TeamPrivacy = 'secret' | 'closed';
export type TeamNotifications = 'notifications_enabled' | 'notifications_disabled';
export type TeamPermission = 'pull' | 'push' | 'admin';

export interface OrganizationTeam {
  number: number;
  organizationId: string;
  slug: string;
  name: string;
  description: string | null;
  /** Members of the organization see closed teams; secret ones are seen by their own members and by admins. */
  privacy: TeamPrivacy;
  notificationSetting: TeamNotifications;
  /** The role on repositories that are given to the team without a word about it. */
  permission: TeamPermission;
  parentNumber: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Maintainers may change their team and its members. */
export type OrganizationTeamRole = 'member' | 'maintainer';

const MAX_SLUG = 100;

/** The slug of a name, before numbers make it unique. */
export function slugOf(name: string): string {
  const words = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const slug = words
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .slice(0, MAX_SLUG)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'team' : slug;
}

/** Text that may be the slug of a team. */
export function isTeamSlug(text: string): boolean {
  return /^[a-z0-9_-]{1,110}$/.test(text);
}

/** As the audit log names it. */
export function organizationTeamResource(login: string, { slug }: Pick<OrganizationTeam, 'slug'>): string {
  return `org/${login}:team/${slug}`;
}

const MAX_NUMBER = 2 ** 31 - 1;

const NAME = PlainText({ minLength: 1, maxLength: 255 });
const FIELDS = {
  description: Type.Optional(Nullable(PlainText({ maxLength: 1000 }))),
  privacy: Type.Optional(OneOf(['secret', 'closed'])),
  notification_setting: Type.Optional(OneOf(['notifications_enabled', 'notifications_disabled'])),
  parent_team_id: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: MAX_NUMBER }))),
  parent_team_slug: Type.Optional(Nullable(PlainText({ maxLength: 255 }))),
};

/** Without `permission`, which only the version 2022-11-28 has: see `TEAM_PERMISSION`. */
export const OrganizationTeamPost = Type.Object(
  {
    name: NAME,
    ...FIELDS,
    maintainers: Type.Optional(Type.Array(PlainText({ maxLength: 100 }), { maxItems: 100 })),
    repo_names: Type.Optional(Type.Array(PlainText({ maxLength: 200 }), { maxItems: 100 })),
  },
  { $id: 'team-create' },
);

export const OrganizationTeamPatch = Type.Object({
  name: Type.Optional(NAME),
  ...FIELDS,
  permission: Type.Optional(OneOf(['pull', 'push', 'admin'])),
});

/**
 * The version 2022-11-28 lets requests that create a team say its `permission`, the newest does not. The value travels under
 * this symbol on the body: JSON has no symbols, so that callers of the newest version cannot send it. The change of version
 * moves the field there. What is absent is `pull`.
 */
export const TEAM_PERMISSION = Symbol('permission');

export interface WithTeamPermission {
  [TEAM_PERMISSION]?: TeamPermission;
}

const SIMPLE = {
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  description: Nullable(Type.String()),
  privacy: OneOf(['closed', 'secret']),
  notification_setting: OneOf(['notifications_enabled', 'notifications_disabled']),
  permission: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  members_url: Type.String(),
  repositories_url: Type.String(),
  type: OneOf(['enterprise', 'organization']),
  organization_id: Type.Integer(),
};

const TeamSimple = Type.Object(SIMPLE, { $id: 'team-simple' });

export const ListedTeam = Type.Object({ ...SIMPLE, parent: Nullable(TeamSimple) }, { $id: 'team' });

export const TeamFull = Type.Object(
  {
    ...SIMPLE,
    parent: Nullable(TeamSimple),
    members_count: Type.Integer(),
    repos_count: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    organization: TeamOrganization,
  },
  { $id: 'team-full' },
);

function toTeamSimple(
  team: OrganizationTeam,
  { number, login }: Organization,
  base: string,
): Static<typeof TeamSimple> {
  const url = `${base}/organizations/${number}/team/${team.number}`;
  return {
    id: team.number,
    node_id: nodeId('Team', team.number),
    name: team.name,
    slug: team.slug,
    description: team.description,
    privacy: team.privacy,
    notification_setting: team.notificationSetting,
    permission: team.permission,
    url,
    html_url: `${siteOf(base)}/orgs/${login}/teams/${team.slug}`,
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    type: 'organization',
    organization_id: number,
  };
}

/** A team with what replies nest in it. */
export interface ShownTeam {
  team: OrganizationTeam;
  organization: Organization;
  parent: OrganizationTeam | undefined;
}

export function toListedTeam(
  { team, organization, parent }: ShownTeam,
  base: string,
): Static<typeof ListedTeam> {
  return {
    ...toTeamSimple(team, organization, base),
    parent: parent === undefined ? null : toTeamSimple(parent, organization, base),
  };
}

export interface CountedTeam extends ShownTeam {
  /** Of the team itself, without its children and parents. */
  memberCount: number;
  repositoryCount: number;
  /** Of the organization. */
  publicRepositories: number;
}

export function toTeamFull(shown: CountedTeam, base: string): Static<typeof TeamFull> {
  const { team, organization, memberCount, repositoryCount, publicRepositories } = shown;
  return {
    ...toListedTeam(shown, base),
    members_count: memberCount,
    repos_count: repositoryCount,
    created_at: isoSeconds(team.createdAt),
    updated_at: isoSeconds(team.updatedAt),
    organization: toTeamOrganization(organization, publicRepositories, base),
  };
}

export const TeamMembership = Type.Object(
  {
    url: Type.String(),
    role: OneOf(['member', 'maintainer']),
    state: OneOf(['active', 'pending']),
  },
  { $id: 'team-membership' },
);

/** There are no invitations here, so every membership is active. */
export function toTeamMembership(
  { team, organization }: Pick<ShownTeam, 'team' | 'organization'>,
  username: string,
  role: OrganizationTeamRole,
  base: string,
): Static<typeof TeamMembership> {
  const url = `${base}/organizations/${organization.number}/team/${team.number}/memberships/${username}`;
  return { url, role, state: 'active' };
}

/** A repository with the role that a team has on it. */
export const TeamRepository = Type.Object(
  { ...NestedRepository.properties, role_name: Type.String() },
  { $id: 'team-repository' },
);
