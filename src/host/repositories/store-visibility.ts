// Which repositories a viewer sees, as conditions of statements: what everybody sees, what roles grant, and forks that are withheld. `visibility.ts` also asks the token.
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import { reachedBy, type InstallationReach } from '../apps/store-reach.ts';
import type { Repository } from './repository.ts';

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
function grantedTo(
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

export interface RoleGrant {
  /** Of the repository. */
  number: number;
  /** A role; custom ones count as the role that they extend. */
  role: string;
}

/** The teams of an account, and their parents: what a team is granted, its children have. */
export const teamNumbersOf = (accountId: string | RawBuilder<string>) => sql`
  with recursive own (number) as (
    select team_number from organization_team_members where account_id = ${accountId}
    union
    select parent_number from organization_teams join own on own.number = organization_teams.number
    where parent_number is not null)
  select number from own`;

/** There may be several for one repository. */
export async function listRoleGrants(
  db: Db,
  repositories: readonly { number: number; ownerId: string }[],
  accountId: string,
): Promise<RoleGrant[]> {
  const numbers = sql.join(repositories.map(({ number }) => sql.val(number)));
  const granted = sql`
    select repository_number, role from team_repositories
    where repository_number in (${numbers}) and team_number in (${teamNumbersOf(accountId)})
    union all
    select repository_number, role from collaborators
    where repository_number in (${numbers}) and account_id = ${accountId}`;
  const { rows } = await sql<RoleGrant>`
    select granted.repository_number as number, coalesce(custom.base_role, granted.role) as role
    from (${granted}) as granted
    join repositories on repositories.number = granted.repository_number
    left join repository_roles as custom
      on custom.organization_id = repositories.owner_id and custom.name = granted.role
    union all
    select repositories.number, case when member.role = 'admin' then 'admin' else organizations.default_permission end
    from repositories
    join organizations on organizations.id = repositories.owner_id
    join organization_members as member
      on member.organization_id = organizations.id and member.account_id = ${accountId}
    where repositories.number in (${numbers})`.execute(db);
  return rows;
}

/**
 * The people who decide for the owner of a fork: the owner, or the admins of an organization. Decided anew whenever it is
 * asked, so that no way to lose access is missed, and that regained access counts at once.
 */
const mayReadSource = sql<boolean>`exists (
  select 1 from (
    select repositories.owner_id as id
    union all
    select account_id from organization_members
    where organization_id = repositories.owner_id and role = 'admin') as person
  where ${grantedTo(sql`person.id`, sql.table('source'))}
    or exists (select 1 from members where members.id = person.id and members.role in ('admin', 'owner')))`;

/** A condition on the table `repositories`. A fork whose source was deleted stays with an owner who could read it then. */
export const withheld: RawBuilder<boolean> = sql`(repositories.binding = 'orphan' or (
  repositories.binding = 'fork' and exists (
    select 1 from repositories as source
    where source.number = repositories.source_number and source.deleted_at is null and source.is_private = 1
      and source.owner_id <> repositories.owner_id and not ${mayReadSource})))`;

/** Those of the members who may read the repository. */
export async function listReaders(
  db: Db,
  { number }: Repository,
  memberIds: readonly string[],
): Promise<string[]> {
  if (memberIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select members.id from members join repositories on repositories.number = ${number}
    where members.id in (${sql.join(memberIds)}) and members.removed_at is null and (
      ${IS_PUBLIC} or members.role in ('admin', 'owner')
      or (${grantedTo(sql`members.id`)} and ${withheld} is not true))
    order by members.number`.execute(db);
  return rows.map(({ id }) => id);
}

/** The sources of those that are withheld, by the number of the fork; null where the source was deleted. */
export async function listWithheld(
  db: Db,
  repositories: readonly Repository[],
): Promise<Map<number, number | null>> {
  const numbers = repositories.filter(isBoundFork).map(({ number }) => number);
  if (numbers.length === 0) return new Map();
  const { rows } = await sql<{ number: number; source_number: number | null; binding: string }>`
    select number, source_number, binding from repositories
    where number in (${sql.join(numbers.map((number) => sql.val(number)))}) and ${withheld}`.execute(db);
  return new Map(
    rows.map(({ number, source_number: source, binding }) => [number, binding === 'orphan' ? null : source]),
  );
}

export async function isWithheld(db: Db, repository: Repository): Promise<boolean> {
  return (await listWithheld(db, [repository])).size > 0;
}

function isBoundFork({ binding }: Repository): boolean {
  return binding === 'fork' || binding === 'orphan';
}

/** Before a source is deleted: what is withheld now does not come back to its owner. */
export async function orphanWithheldForks(tx: Db, source: number): Promise<void> {
  await sql`update repositories set binding = 'orphan'
    where source_number = ${source} and binding = 'fork' and ${withheld}`.execute(tx);
}
