// The roles that accounts have on a repository, from the tables that grant them.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { DefaultPermission } from '../organizations/model.ts';

/** A grant names a role or a custom role. */
export interface RoleGrants {
  /** Of the organization that owns the repository; absent where the account is no member. */
  membership?: { role: string; defaultPermission: DefaultPermission };
  /** As a collaborator and by teams. */
  granted: string[];
}

/** Members of a team also have what its parents are granted. */
export async function listRoleGrants(
  db: Db,
  repository: { number: number; ownerId: string },
  accountId: string,
): Promise<RoleGrants> {
  const [membership, granted] = await Promise.all([
    db
      .selectFrom('organization_members as m')
      .innerJoin('organizations as o', 'o.id', 'm.organization_id')
      .select(['m.role', 'o.default_permission as defaultPermission'])
      .where('m.organization_id', '=', repository.ownerId)
      .where('m.account_id', '=', accountId)
      .executeTakeFirst(),
    sql<{ role: string }>`
      with recursive own (number) as (
        select team_number from organization_team_members where account_id = ${accountId}
        union
        select parent_number from organization_teams join own on own.number = organization_teams.number
        where parent_number is not null)
      select role from team_repositories
      where repository_number = ${repository.number} and team_number in (select number from own)
      union
      select role from collaborators where repository_number = ${repository.number} and account_id = ${accountId}`.execute(
      db,
    ),
  ]);
  return {
    ...(membership && {
      membership: {
        role: membership.role,
        defaultPermission: membership.defaultPermission as DefaultPermission,
      },
    }),
    granted: granted.rows.map(({ role }) => role),
  };
}

/** The base roles of an organization's custom roles, by name in lower case. */
export async function listCustomBaseRoles(
  db: Db,
  organizationId: string,
  names: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('repository_roles')
    .select('base_role')
    .where('organization_id', '=', organizationId)
    .where(
      sql<string>`lower(name)`,
      'in',
      names.map((name) => name.toLowerCase()),
    )
    .execute();
  return rows.map((row) => row.base_role);
}
