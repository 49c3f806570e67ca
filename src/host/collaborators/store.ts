// Collaborators in the database, and everybody else who has a role on a repository.
import { sql, type RawBuilder } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { REPOSITORY_ROLES, type RepositoryRole, type Repository } from '../repositories/repository.ts';
import { repositoryFrom } from '../repositories/store.ts';
import type { CollaboratorGrant } from './model.ts';
import type { CollaboratorRow } from './tables.ts';

/** A repository, and what its owner is. */
export interface SharedRepository {
  number: number;
  ownerId: string;
  isOwnerOrganization: boolean;
}

/** `direct` is without organization and teams; `outside` also without members of the organization. */
type CollaboratorAffiliation = 'all' | 'direct' | 'outside';

/** The accounts with at least the role, by id. */
export async function listCollaboratorIds(
  db: Db,
  repository: SharedRepository,
  { affiliation, atLeast }: { affiliation: CollaboratorAffiliation; atLeast: RepositoryRole },
  { offset, limit }: Slice,
): Promise<{ ids: string[]; total: number }> {
  const rank = REPOSITORY_ROLES.indexOf(atLeast);
  const people = sql`
    select account_id from (${rankedGrants(repository, affiliation)}) as ranked
    group by account_id having max(rank) >= ${rank}`;
  const [page, count] = await Promise.all([
    sql<{ account_id: string }>`${people} order by account_id limit ${limit} offset ${offset}`.execute(db),
    sql<{ total: number }>`select count(*) as total from (${people}) as people`.execute(db),
  ]);
  return { ids: page.rows.map((row) => row.account_id), total: count.rows[0]!.total };
}

/** By account. Without what everybody may do with a public repository. */
export async function listGrantsOf(
  db: Db,
  repository: SharedRepository,
  accountIds: readonly string[],
): Promise<Map<string, CollaboratorGrant[]>> {
  const grants = new Map<string, CollaboratorGrant[]>();
  if (accountIds.length === 0) return grants;
  const { rows } = await sql<{ account_id: string; name: string; rank: number }>`
    select account_id, name, rank from (${rankedGrants(repository, 'all', accountIds)}) as ranked
    where rank >= 0`.execute(db);
  for (const { account_id: id, name, rank } of rows) {
    const known = grants.get(id) ?? [];
    grants.set(id, [...known, { role: REPOSITORY_ROLES[rank]!, name }]);
  }
  return grants;
}

/** Every grant with the rank of its role; -1 for a custom role that is gone. */
function rankedGrants(
  repository: SharedRepository,
  affiliation: CollaboratorAffiliation,
  accountIds?: readonly string[],
): RawBuilder<unknown> {
  const among = (column: RawBuilder<unknown>) =>
    accountIds === undefined
      ? sql`1 = 1`
      : sql`${column} in (${sql.join(accountIds.map((id) => sql.val(id)))})`;
  const sources = sourcesOf(repository, affiliation, among);
  const ranks = REPOSITORY_ROLES.map((role, rank) => sql`when ${sql.lit(role)} then ${sql.lit(rank)}`);
  return sql`
    select granted.account_id, coalesce(custom.name, granted.role) as name,
      case coalesce(custom.base_role, granted.role) ${sql.join(ranks, sql` `)} else -1 end as rank
    from (${sql.join(sources, sql` union all `)}) as granted
    left join repository_roles as custom
      on custom.organization_id = ${repository.ownerId} and custom.name = granted.role`;
}

type AccountCondition = (column: RawBuilder<unknown>) => RawBuilder<unknown>;

function sourcesOf(
  { number, ownerId, isOwnerOrganization }: SharedRepository,
  affiliation: CollaboratorAffiliation,
  among: AccountCondition,
): RawBuilder<unknown>[] {
  const direct = sql`
    select account_id, role from collaborators
    where repository_number = ${number} and ${among(sql`account_id`)}`;
  if (affiliation === 'outside') {
    return [
      sql`${direct} and not exists (
        select 1 from organization_members as member
        where member.organization_id = ${ownerId} and member.account_id = collaborators.account_id)`,
    ];
  }
  if (!isOwnerOrganization) {
    const owner = sql`cast(${ownerId} as text)`;
    return [sql`select ${owner} as account_id, 'admin' as role where ${among(owner)}`, direct];
  }
  if (affiliation === 'direct') return [direct];
  // What a team is granted, its children have.
  const byTeams = sql`
    select member.account_id, granted_team.role from (
      with recursive granted_teams (number, role) as (
        select team_number, role from team_repositories where repository_number = ${number}
        union
        select team.number, granted_teams.role from organization_teams as team
        join granted_teams on team.parent_number = granted_teams.number)
      select number, role from granted_teams) as granted_team
    join organization_team_members as member on member.team_number = granted_team.number
    where ${among(sql`member.account_id`)}`;
  const byMembership = sql`
    select member.account_id,
      case when member.role = 'admin' then 'admin' else organizations.default_permission end
    from organization_members as member join organizations on organizations.id = member.organization_id
    where member.organization_id = ${ownerId} and ${among(sql`member.account_id`)}`;
  return [direct, byTeams, byMembership];
}

export async function findCollaboratorRole(
  db: Db,
  number: number,
  accountId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('collaborators')
    .select('role')
    .where('repository_number', '=', number)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.role;
}

export async function upsertCollaborator(
  tx: Db,
  number: number,
  { accountId, role }: { accountId: string; role: string },
  now: number,
): Promise<void> {
  await tx
    .insertInto('collaborators')
    .values({
      repository_number: number,
      account_id: accountId,
      role,
      created_at: now,
    } satisfies CollaboratorRow)
    .onConflict((conflict) => conflict.columns(['repository_number', 'account_id']).doUpdateSet({ role }))
    .execute();
}

export async function deleteCollaborator(tx: Db, number: number, accountId: string): Promise<void> {
  await tx
    .deleteFrom('collaborators')
    .where('repository_number', '=', number)
    .where('account_id', '=', accountId)
    .execute();
}

/**
 * Ends the stars and watches of accounts that no longer see the repository. The caller has locked the repository,
 * which is private. Returns it with its new counts.
 */
export async function endLostInterests(
  tx: Db,
  { repository: { number, ownerId }, owner }: FoundRepository,
): Promise<Repository> {
  const shared = { number, ownerId, isOwnerOrganization: owner.type === 'Organization' };
  const seers = sql<string>`(select account_id from (${rankedGrants(shared, 'all')}) as ranked where rank >= 0)`;
  for (const table of ['stars', 'watches'] as const)
    await tx
      .deleteFrom(table)
      .where('repository_number', '=', number)
      .where('account_id', 'not in', seers)
      .execute();
  const row = await tx
    .updateTable('repositories')
    .set((eb) => ({
      star_count: eb
        .selectFrom('stars')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('repository_number', '=', number),
      watch_count: eb
        .selectFrom('watches')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('repository_number', '=', number)
        .where('is_ignored', '=', 0),
    }))
    .where('number', '=', number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return repositoryFrom(row);
}
