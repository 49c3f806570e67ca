// Organizations and memberships as replies show them.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import {
  EMPTY_PROFILE,
  type Organization,
  type OrganizationCounts,
  type OrganizationMembership,
  type OrganizationProfile,
  ADMIN_SETTING_SCHEMAS,
  adminSettingsOf,
  creationTypeOf,
  PUBLIC_SETTING_SCHEMAS,
  publicSettingsOf,
  SETTING_REQUEST_SCHEMAS,
} from './model.ts';
import { siteOf } from '../site.ts';

const SIMPLE = {
  login: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  url: Type.String(),
  repos_url: Type.String(),
  events_url: Type.String(),
  hooks_url: Type.String(),
  issues_url: Type.String(),
  members_url: Type.String(),
  public_members_url: Type.String(),
  avatar_url: Type.String(),
  description: Nullable(Type.String()),
};

export const OrganizationSimple = Type.Object(SIMPLE, { $id: 'organization-simple' });

/** What everybody sees. */
const PUBLIC = {
  ...SIMPLE,
  name: Type.Optional(Type.String()),
  company: Type.Optional(Type.String()),
  blog: Type.Optional(Type.String()),
  location: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  twitter_username: Nullable(Type.String()),
  is_verified: Type.Boolean(),
  ...PUBLIC_SETTING_SCHEMAS,
  public_repos: Type.Integer(),
  public_gists: Type.Integer(),
  followers: Type.Integer(),
  following: Type.Integer(),
  html_url: Type.String(),
  type: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  archived_at: Nullable(Type.String({ format: 'date-time' })),
};

export const OrganizationFull = Type.Object(
  {
    ...PUBLIC,
    // Only admins of the organization see the rest.
    total_private_repos: Type.Optional(Type.Integer()),
    owned_private_repos: Type.Optional(Type.Integer()),
    private_gists: Type.Optional(Type.Integer()),
    disk_usage: Type.Optional(Type.Integer()),
    billing_email: Type.Optional(Nullable(Type.String())),
    default_repository_permission: Type.Optional(Type.String()),
    default_repository_branch: Type.Optional(Type.String()),
    two_factor_requirement_enabled: Type.Optional(Type.Boolean()),
    members_allowed_repository_creation_type: Type.Optional(Type.String()),
    members_can_create_teams: Type.Optional(Type.Boolean()),
    ...ADMIN_SETTING_SCHEMAS,
    secret_scanning_push_protection_custom_link: Type.Optional(Nullable(Type.String())),
  },
  { $id: 'organization-full' },
);

/** As teams nest it. */
export const TeamOrganization = Type.Object(PUBLIC, { $id: 'team-organization' });

/**
 * The version 2022-11-28 has a field `secret_scanning_push_protection_custom_link_enabled` in requests and replies, the newest
 * has none. Its value travels under this symbol, on the body of `PATCH /orgs/{org}` and on the replies that admins get: JSON
 * has no symbols, so that no caller of the newest version sends or sees it. The change of version moves it to the field and
 * back.
 */
export const PUSH_PROTECTION_LINK_ENABLED = Symbol('secret_scanning_push_protection_custom_link_enabled');

export interface WithPushProtectionLink {
  [PUSH_PROTECTION_LINK_ENABLED]?: boolean;
}

const Line = Type.Optional(Nullable(PlainText({ maxLength: 255 })));

export const OrganizationPatch = Type.Object(
  {
    billing_email: Line,
    company: Line,
    email: Line,
    twitter_username: Line,
    location: Line,
    name: Line,
    description: Type.Optional(Nullable(PlainText({ maxLength: 1000 }))),
    blog: Line,
    default_repository_permission: Type.Optional(OneOf(['read', 'write', 'admin', 'none'])),
    members_allowed_repository_creation_type: Type.Optional(OneOf(['all', 'private', 'none'])),
    ...SETTING_REQUEST_SCHEMAS,
    secret_scanning_push_protection_custom_link: Line,
  },
  { $id: 'organization-update' },
);

const PROFILE_FIELDS = {
  billing_email: 'billingEmail',
  company: 'company',
  email: 'email',
  twitter_username: 'twitterUsername',
  location: 'location',
  name: 'name',
  description: 'description',
  blog: 'blog',
} as const satisfies Record<string, keyof OrganizationProfile>;

/** An empty text removes what was there. */
export function changedProfile(
  before: OrganizationProfile,
  request: Partial<Record<keyof typeof PROFILE_FIELDS, string | null>>,
): OrganizationProfile {
  const after = { ...EMPTY_PROFILE, ...before };
  for (const [field, name] of Object.entries(PROFILE_FIELDS)) {
    const value = request[field as keyof typeof PROFILE_FIELDS];
    if (value !== undefined) after[name] = value === '' ? null : value;
  }
  return after;
}

export function toOrganizationSimple(
  { number, login, profile }: Organization,
  base: string,
): Static<typeof OrganizationSimple> {
  const url = `${base}/orgs/${login}`;
  return {
    login,
    id: number,
    node_id: nodeId('Organization', number),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${base}/avatars/${number}`,
    description: profile.description,
  };
}

export function toTeamOrganization(
  organization: Organization,
  publicRepositories: number,
  base: string,
): Static<typeof TeamOrganization> {
  const { login, profile, settings, createdAt, updatedAt } = organization;
  const { name, company, blog, location, email, twitterUsername } = profile;
  return {
    ...toOrganizationSimple(organization, base),
    ...(name !== null && { name }),
    ...(company !== null && { company }),
    ...(blog !== null && { blog }),
    ...(location !== null && { location }),
    ...(email !== null && { email }),
    twitter_username: twitterUsername,
    is_verified: false,
    ...publicSettingsOf(settings),
    public_repos: publicRepositories,
    public_gists: 0,
    followers: 0,
    following: 0,
    html_url: `${siteOf(base)}/${login}`,
    type: 'Organization',
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(updatedAt),
    archived_at: null,
  };
}

export function toOrganizationFull(
  organization: Organization,
  { publicRepositories, privateRepositories, sizeKb }: OrganizationCounts,
  isAdmin: boolean,
  base: string,
): Static<typeof OrganizationFull> & WithPushProtectionLink {
  const { profile, settings, defaultPermission } = organization;
  const shown = toTeamOrganization(organization, publicRepositories, base);
  if (!isAdmin) return shown;
  return {
    ...shown,
    total_private_repos: privateRepositories,
    owned_private_repos: privateRepositories,
    private_gists: 0,
    disk_usage: sizeKb,
    billing_email: profile.billingEmail,
    default_repository_permission: defaultPermission,
    default_repository_branch: 'main',
    two_factor_requirement_enabled: false,
    members_allowed_repository_creation_type: creationTypeOf(settings),
    members_can_create_teams: true,
    ...adminSettingsOf(settings),
    secret_scanning_push_protection_custom_link: settings.pushProtectionLink,
    [PUSH_PROTECTION_LINK_ENABLED]: settings.pushProtectionLinkEnabled,
  };
}

export const OrgMembership = Type.Object(
  {
    url: Type.String(),
    state: OneOf(['active', 'pending']),
    role: OneOf(['admin', 'member']),
    direct_membership: Type.Boolean(),
    organization_url: Type.String(),
    organization: OrganizationSimple,
    user: Nullable(SimpleUser),
    permissions: Type.Object({ can_create_repository: Type.Boolean() }),
  },
  { $id: 'org-membership' },
);

/** There are no invitations here, so every membership is active. */
export function toOrgMembership(
  organization: Organization,
  { role }: Pick<OrganizationMembership, 'role'>,
  user: RepositoryOwner,
  base: string,
): Static<typeof OrgMembership> {
  const url = `${base}/orgs/${organization.login}`;
  return {
    url: `${url}/memberships/${user.login}`,
    state: 'active',
    role,
    direct_membership: true,
    organization_url: url,
    organization: toOrganizationSimple(organization, base),
    user: toSimpleUser(user, base),
    permissions: {
      can_create_repository: role === 'admin' || organization.settings.membersCanCreateRepositories,
    },
  };
}
