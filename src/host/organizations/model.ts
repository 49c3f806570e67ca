// Organizations: owners of repositories whose members and teams share them; and their settings.
import { Type, type TSchema } from '../../kernel/schema/schema.ts';
import type { RepositoryOwner } from '../owners/model.ts';

/** Above the numbers of members and service tokens, and within the range of a GraphQL Int. */
export const FIRST_ORGANIZATION_NUMBER = 1_500_000_000;

/** The repository role that every member has; `none` leaves it to teams and collaborators. */
export type DefaultPermission = 'none' | 'read' | 'write' | 'admin';

export interface OrganizationProfile {
  name: string | null;
  description: string | null;
  company: string | null;
  blog: string | null;
  location: string | null;
  email: string | null;
  twitterUsername: string | null;
  billingEmail: string | null;
}

export const EMPTY_PROFILE: OrganizationProfile = {
  name: null,
  description: null,
  company: null,
  blog: null,
  location: null,
  email: null,
  twitterUsername: null,
  billingEmail: null,
};

export interface Organization {
  id: string;
  /** As clients see it. */
  number: number;
  login: string;
  profile: OrganizationProfile;
  settings: OrganizationSettings;
  defaultPermission: DefaultPermission;
  createdAt: number;
  updatedAt: number;
}

/** Admins may change everything in the organization. */
export type OrganizationRole = 'admin' | 'member';

export interface OrganizationMembership {
  accountId: string;
  role: OrganizationRole;
  /** Whether everybody may know of it. */
  isPublic: boolean;
}

/** Of the repositories that it owns. */
export interface OrganizationCounts {
  publicRepositories: number;
  privateRepositories: number;
  sizeKb: number;
}

const LOGIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9]|-(?=[a-zA-Z0-9])){0,38}$/;

/** As for members: 1 to 39 letters, digits and single hyphens inside. */
export function isOrganizationLogin(login: string): boolean {
  return LOGIN.test(login);
}

export function ownerOfOrganization({ id, number, login }: Organization): RepositoryOwner {
  return { id, number, login, type: 'Organization', isSiteAdmin: false };
}

/** As policies name it. */
export function organizationResource({ login }: Pick<Organization, 'login'>): string {
  return `org/${login}`;
}

export interface OrganizationSettings {
  hasOrganizationProjects: boolean;
  hasRepositoryProjects: boolean;
  membersCanCreateRepositories: boolean;
  membersCanCreatePublicRepositories: boolean;
  membersCanCreatePrivateRepositories: boolean;
  membersCanCreateInternalRepositories: boolean;
  membersCanCreatePages: boolean;
  membersCanCreatePublicPages: boolean;
  membersCanCreatePrivatePages: boolean;
  membersCanForkPrivateRepositories: boolean;
  webCommitSignoffRequired: boolean;
  deployKeysEnabled: boolean;
  advancedSecurityForNew: boolean;
  dependabotAlertsForNew: boolean;
  dependabotUpdatesForNew: boolean;
  dependencyGraphForNew: boolean;
  secretScanningForNew: boolean;
  pushProtectionForNew: boolean;
  /** Where somebody is sent whose push is refused for a secret in it. */
  pushProtectionLink: string | null;
  /** Only the version 2022-11-28 shows and changes it: see `PUSH_PROTECTION_LINK_ENABLED`. */
  pushProtectionLinkEnabled: boolean;
}

export const DEFAULT_SETTINGS: OrganizationSettings = {
  hasOrganizationProjects: true,
  hasRepositoryProjects: true,
  membersCanCreateRepositories: true,
  membersCanCreatePublicRepositories: true,
  membersCanCreatePrivateRepositories: true,
  membersCanCreateInternalRepositories: false,
  membersCanCreatePages: true,
  membersCanCreatePublicPages: true,
  membersCanCreatePrivatePages: true,
  membersCanForkPrivateRepositories: false,
  webCommitSignoffRequired: false,
  deployKeysEnabled: true,
  advancedSecurityForNew: false,
  dependabotAlertsForNew: false,
  dependabotUpdatesForNew: false,
  dependencyGraphForNew: false,
  secretScanningForNew: false,
  pushProtectionForNew: false,
  pushProtectionLink: null,
  pushProtectionLinkEnabled: false,
};

type BooleanSetting = {
  [Name in keyof OrganizationSettings]: OrganizationSettings[Name] extends boolean ? Name : never;
}[keyof OrganizationSettings];

/** The settings that everybody may see. */
const PUBLIC_SETTING_FIELDS = {
  has_organization_projects: 'hasOrganizationProjects',
  has_repository_projects: 'hasRepositoryProjects',
} as const satisfies Record<string, BooleanSetting>;

/** The settings that admins of the organization see. */
const ADMIN_SETTING_FIELDS = {
  members_can_create_repositories: 'membersCanCreateRepositories',
  members_can_create_public_repositories: 'membersCanCreatePublicRepositories',
  members_can_create_private_repositories: 'membersCanCreatePrivateRepositories',
  members_can_create_internal_repositories: 'membersCanCreateInternalRepositories',
  members_can_create_pages: 'membersCanCreatePages',
  members_can_create_public_pages: 'membersCanCreatePublicPages',
  members_can_create_private_pages: 'membersCanCreatePrivatePages',
  members_can_fork_private_repositories: 'membersCanForkPrivateRepositories',
  web_commit_signoff_required: 'webCommitSignoffRequired',
  deploy_keys_enabled_for_repositories: 'deployKeysEnabled',
  advanced_security_enabled_for_new_repositories: 'advancedSecurityForNew',
  dependabot_alerts_enabled_for_new_repositories: 'dependabotAlertsForNew',
  dependabot_security_updates_enabled_for_new_repositories: 'dependabotUpdatesForNew',
  dependency_graph_enabled_for_new_repositories: 'dependencyGraphForNew',
  secret_scanning_enabled_for_new_repositories: 'secretScanningForNew',
  secret_scanning_push_protection_enabled_for_new_repositories: 'pushProtectionForNew',
} as const satisfies Record<string, BooleanSetting>;

type PublicField = keyof typeof PUBLIC_SETTING_FIELDS;
type AdminField = keyof typeof ADMIN_SETTING_FIELDS;

/** A schema for each of the fields. */
function schemasOf<Field extends string, S extends TSchema>(
  fields: Record<Field, BooleanSetting>,
  schema: S,
): Record<Field, S> {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, schema])) as Record<Field, S>;
}

function valuesOf<Field extends string>(
  fields: Record<Field, BooleanSetting>,
  settings: OrganizationSettings,
): Record<Field, boolean> {
  const pairs = Object.entries<BooleanSetting>(fields).map(([field, name]) => [field, settings[name]]);
  return Object.fromEntries(pairs) as Record<Field, boolean>;
}

export const PUBLIC_SETTING_SCHEMAS = schemasOf(PUBLIC_SETTING_FIELDS, Type.Boolean());
export const ADMIN_SETTING_SCHEMAS = schemasOf(ADMIN_SETTING_FIELDS, Type.Optional(Type.Boolean()));

/** For requests: all of them, each optional. */
export const SETTING_REQUEST_SCHEMAS = {
  ...schemasOf(PUBLIC_SETTING_FIELDS, Type.Optional(Type.Boolean())),
  ...ADMIN_SETTING_SCHEMAS,
};

export function publicSettingsOf(settings: OrganizationSettings): Record<PublicField, boolean> {
  return valuesOf(PUBLIC_SETTING_FIELDS, settings);
}

export function adminSettingsOf(settings: OrganizationSettings): Record<AdminField, boolean> {
  return valuesOf(ADMIN_SETTING_FIELDS, settings);
}

/** Which repositories members may create, in one word: `all`, `private` or `none`. */
export function creationTypeOf(settings: OrganizationSettings): 'all' | 'private' | 'none' {
  if (!settings.membersCanCreateRepositories) return 'none';
  if (settings.membersCanCreatePublicRepositories) return 'all';
  return settings.membersCanCreatePrivateRepositories ? 'private' : 'none';
}

export type SettingRequest = Partial<Record<PublicField | AdminField, boolean>> & {
  members_allowed_repository_creation_type?: 'all' | 'private' | 'none';
  secret_scanning_push_protection_custom_link?: string | null;
};

/** The settings after a request. The older word for what members may create comes first, the fields for each override it. */
export function changedSettings(before: OrganizationSettings, request: SettingRequest): OrganizationSettings {
  const after = { ...before };
  const allowed = request.members_allowed_repository_creation_type;
  if (allowed !== undefined) {
    after.membersCanCreateRepositories = allowed !== 'none';
    after.membersCanCreatePublicRepositories = allowed === 'all';
    after.membersCanCreatePrivateRepositories = allowed !== 'none';
  }
  for (const [field, name] of Object.entries({ ...PUBLIC_SETTING_FIELDS, ...ADMIN_SETTING_FIELDS })) {
    const value = request[field as PublicField | AdminField];
    if (value !== undefined) after[name] = value;
  }
  const link = request.secret_scanning_push_protection_custom_link;
  if (link !== undefined) after.pushProtectionLink = link === '' ? null : link;
  return after;
}
