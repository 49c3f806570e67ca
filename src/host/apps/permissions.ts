// The permissions that apps ask for and installations have: a level for each name, and what accounts agreed to.
import { problem } from '../../kernel/schema/schema.ts';
import type { HostApp, Installation } from './app.ts';

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
function lostLevels(before: AppPermissions, after: AppPermissions): string[] {
  return Object.entries(before).flatMap(([name, level]) =>
    LEVELS.filter((one) => includesLevel(level, one) && !includesLevel(after[name], one)).map(
      (one) => `${name}:${one}`,
    ),
  );
}

/** Each with the highest level that is not lost. */
function withoutLevels(permissions: AppPermissions, isDropped: (right: string) => boolean): AppPermissions {
  const left: Record<string, AppPermissionLevel> = {};
  for (const [name, level] of Object.entries(permissions)) {
    const highest = LEVELS.findLast((one) => includesLevel(level, one) && !isDropped(`${name}:${one}`));
    if (highest !== undefined) left[name] = highest;
  }
  return left;
}

/** The levels that a permission can have. */
export function levelsOf(name: string): readonly AppPermissionLevel[] {
  return NAMES[name] ?? [];
}

/** What accounts agreed to counts as far as the app still asks for it. */
export interface AppRights {
  permissions: AppPermissions;
  events: readonly string[];
}

type Asked = Pick<HostApp, 'permissions' | 'events' | 'lostRights'>;
type Agreed = Pick<Installation, 'permissions' | 'events' | 'rightsRevision'>;

/**
 * The app after a change of what it asks for. Installations lose at once what it gives up, however many there are: it
 * remembers when it did so last. What it asks for again later needs a new consent.
 */
export function withRights(app: HostApp, { permissions, events }: AppRights): HostApp {
  const revision = app.rightsRevision + 1;
  const lost = [
    ...lostLevels(app.permissions, permissions),
    ...app.events.filter((name) => !events.includes(name)).map(eventRight),
  ];
  const lostRights = { ...app.lostRights, ...Object.fromEntries(lost.map((right) => [right, revision])) };
  return { ...app, permissions, events, rightsRevision: revision, lostRights };
}

export function heldRights(app: Asked, installation: Agreed): AppRights {
  const permissions = withoutLevels(commonPermissions(app.permissions, installation.permissions), (right) =>
    isLost(app, installation, right),
  );
  return { permissions, events: heldEvents(app, installation) };
}

function heldEvents(app: Asked, installation: Pick<Agreed, 'events' | 'rightsRevision'>): string[] {
  return installation.events.filter(
    (name) => app.events.includes(name) && !isLost(app, installation, eventRight(name)),
  );
}

/** Whether the app asks for something that the account has not agreed to. */
export function asksForMore(app: Asked, installation: Agreed): boolean {
  const held = heldRights(app, installation);
  return (
    excessPermission(app.permissions, held.permissions) !== undefined ||
    app.events.some((name) => !held.events.includes(name))
  );
}

/** Since the account has agreed. */
function isLost(app: Asked, { rightsRevision }: Pick<Agreed, 'rightsRevision'>, right: string): boolean {
  return (app.lostRights[right] ?? 0) > rightsRevision;
}

function eventRight(name: string): string {
  return `event:${name}`;
}
