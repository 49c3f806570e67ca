// The roles that an account is granted on repositories: by organizations, teams and as a collaborator.
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

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
