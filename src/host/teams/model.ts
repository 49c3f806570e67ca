// Teams of an organization: groups of its members who share repositories. Teams nest, and children have what parents have.
import { Nullable, OneOf, PlainText, Type } from '../../kernel/schema/schema.ts';

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
