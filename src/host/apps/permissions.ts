// The permissions that apps ask for and installations have: a level for each name.
import { problem } from '../../kernel/schema/schema.ts';

export type AppPermissionLevel = 'read' | 'write' | 'admin';
export type AppPermissions = Readonly<Record<string, AppPermissionLevel>>;

const LEVELS: readonly AppPermissionLevel[] = ['read', 'write', 'admin'];

/** With the levels that each may have where they are not `read` and `write`. */
const NAMES: Readonly<Record<string, readonly AppPermissionLevel[]>> = {
  ...Object.fromEntries(
    [
      'actions',
      'administration',
      'checks',
      'codespaces',
      'contents',
      'custom_properties_for_organizations',
      'dependabot_secrets',
      'deployments',
      'email_addresses',
      'environments',
      'followers',
      'git_ssh_keys',
      'gpg_keys',
      'interaction_limits',
      'issues',
      'members',
      'metadata',
      'organization_administration',
      'organization_announcement_banners',
      'organization_custom_org_roles',
      'organization_custom_roles',
      'organization_hooks',
      'organization_packages',
      'organization_personal_access_token_requests',
      'organization_personal_access_tokens',
      'organization_secrets',
      'organization_self_hosted_runners',
      'organization_user_blocking',
      'packages',
      'pages',
      'pull_requests',
      'repository_custom_properties',
      'repository_hooks',
      'secret_scanning_alerts',
      'secrets',
      'security_events',
      'single_file',
      'starring',
      'statuses',
      'team_discussions',
      'vulnerability_alerts',
    ].map((name) => [name, ['read', 'write']]),
  ),
  organization_copilot_seat_management: ['write'],
  organization_custom_properties: ['read', 'write', 'admin'],
  organization_events: ['read'],
  organization_plan: ['read'],
  organization_projects: ['read', 'write', 'admin'],
  profile: ['write'],
  repository_projects: ['read', 'write', 'admin'],
  workflows: ['write'],
};

export const APP_PERMISSION_NAMES: readonly string[] = Object.keys(NAMES).toSorted();

/** Whether the level includes another; no level includes nothing. */
export function includesLevel(level: AppPermissionLevel | undefined, needed: AppPermissionLevel): boolean {
  return level !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(needed);
}

/** Throws for names that are no permissions and levels that they do not have. Everybody may read metadata. */
export function checkedPermissions(
  sent: Readonly<Record<string, string>>,
  field = 'permissions',
): AppPermissions {
  const permissions: Record<string, AppPermissionLevel> = {};
  for (const [name, level] of Object.entries(sent)) {
    const levels = Object.hasOwn(NAMES, name) ? NAMES[name]! : undefined;
    if (levels === undefined) throw problem(`${field}.${name}`.slice(0, 200), 'is no permission');
    if (!(levels as readonly string[]).includes(level))
      throw problem(`${field}.${name}`, `must be ${levels.join(' or ')}`);
    permissions[name] = level as AppPermissionLevel;
  }
  return { ...permissions, metadata: permissions['metadata'] ?? 'read' };
}

/** What both have. */
export function commonPermissions(one: AppPermissions, other: AppPermissions): AppPermissions {
  const common: Record<string, AppPermissionLevel> = {};
  for (const [name, level] of Object.entries(one)) {
    const known = other[name];
    if (known !== undefined) common[name] = includesLevel(known, level) ? level : known;
  }
  return common;
}

/** The first name of which more is wanted than there is. */
export function excessPermission(wanted: AppPermissions, held: AppPermissions): string | undefined {
  return Object.keys(wanted).find((name) => !includesLevel(held[name], wanted[name]!));
}

/** The levels, as `name:level`, that are gone when permissions change. */
export function lostLevels(before: AppPermissions, after: AppPermissions): string[] {
  return Object.entries(before).flatMap(([name, level]) =>
    LEVELS.filter((one) => includesLevel(level, one) && !includesLevel(after[name], one)).map(
      (one) => `${name}:${one}`,
    ),
  );
}

/** Each with the highest level that is not lost. */
export function withoutLevels(
  permissions: AppPermissions,
  isLost: (right: string) => boolean,
): AppPermissions {
  const left: Record<string, AppPermissionLevel> = {};
  for (const [name, level] of Object.entries(permissions)) {
    const highest = LEVELS.findLast((one) => includesLevel(level, one) && !isLost(`${name}:${one}`));
    if (highest !== undefined) left[name] = highest;
  }
  return left;
}

/** The levels that a permission can have. */
export function levelsOf(name: string): readonly AppPermissionLevel[] {
  return NAMES[name] ?? [];
}
