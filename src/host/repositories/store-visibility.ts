// Which repositories a viewer sees, as a condition of statements. `visibility.ts` decides by what this cannot know: tokens and withheld forks.
import { sql, type RawBuilder } from 'kysely';
import { reachedBy, type InstallationReach } from '../apps/store-reach.ts';
import { teamNumbersOf } from './store-roles.ts';

/** Who looks: one who sees everything, an account that sees what it is granted, an installation, or the public. */
export type Viewer = 'all' | 'public' | { accountId: string } | { reach: InstallationReach };

const IS_PUBLIC = sql<boolean>`repositories.is_private = 0`;

/** A condition on the table `repositories`. `isPublic` says of what everybody sees; the rest is for those with a role. */
export function visibleTo(viewer: Viewer, isPublic: RawBuilder<boolean> = IS_PUBLIC): RawBuilder<boolean> {
  const isThere = sql<boolean>`repositories.deleted_at is null`;
  if (viewer === 'all') return isThere;
  if (viewer === 'public') return sql`${isThere} and ${isPublic}`;
  const granted = 'reach' in viewer ? reachedBy(viewer.reach) : grantedTo(viewer.accountId);
  return sql`${isThere} and (${isPublic} or ${granted})`;
}

/** The account has a role, beside reading what is public: as the owner, or by a grant. */
export function grantedTo(
  accountId: string | RawBuilder<string>,
  repositories: RawBuilder<unknown> = sql.table('repositories'),
): RawBuilder<boolean> {
  return sql`(${repositories}.owner_id = ${accountId}
    or exists (
      select 1 from collaborators
      where collaborators.repository_number = ${repositories}.number and collaborators.account_id = ${accountId})
    or exists (
      select 1 from organization_members as member
      join organizations on organizations.id = member.organization_id
      where member.organization_id = ${repositories}.owner_id and member.account_id = ${accountId}
        and (member.role = 'admin' or organizations.default_permission <> 'none'))
    or exists (
      select 1 from team_repositories
      where team_repositories.repository_number = ${repositories}.number
        and team_repositories.team_number in (${teamNumbersOf(accountId)})))`;
}
