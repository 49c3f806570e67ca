// Teams of an organization: groups of its members who share repositories. Teams nest, and children have what parents have.

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
