// Teams, memberships of teams and repositories of teams as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import type { Organization } from '../organizations/model.ts';
import { TeamOrganization, toTeamOrganization } from '../organizations/replies.ts';
import { NestedRepository } from '../repositories/model.ts';
import { isoSeconds } from '../times.ts';
import type { OrganizationTeam, OrganizationTeamRole } from './model.ts';

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
    html_url: `${new URL(base).origin}/orgs/${login}/teams/${team.slug}`,
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
