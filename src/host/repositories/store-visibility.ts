// Which repositories a caller sees in lists of other resources, such as stars.
import { sql, type RawBuilder } from 'kysely';
import { reachedBy } from '../apps/store-reach.ts';
import type { Viewer } from './store-lists.ts';
import { teamNumbersOf } from './store-roles.ts';

/** A condition on the table `repositories`. */
export function visibleTo(viewer: Viewer): RawBuilder<boolean> {
  const isThere = sql<boolean>`repositories.deleted_at is null`;
  if (viewer === 'all') return isThere;
  const isPublic = sql<boolean>`repositories.is_private = 0`;
  if (viewer === 'public') return sql`${isThere} and ${isPublic}`;
  const granted = 'reach' in viewer ? reachedBy(viewer.reach) : grantedTo(viewer.accountId);
  return sql`${isThere} and (${isPublic} or ${granted})`;
}

/** A condition on the table `repositories`: the account has a role, beside reading what is public. */
export function grantedTo(accountId: string): RawBuilder<boolean> {
  return sql`(repositories.owner_id = ${accountId}
    or repositories.number in (select repository_number from collaborators where account_id = ${accountId})
    or repositories.number in (
      select repository_number from team_repositories where team_number in (${teamNumbersOf(accountId)}))
    or repositories.owner_id in (
      select member.organization_id from organization_members as member
      join organizations on organizations.id = member.organization_id
      where member.account_id = ${accountId}
        and (member.role = 'admin' or organizations.default_permission <> 'none')))`;
}
