// The members of teams in the database.
import { sql } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { OrganizationTeamRole } from './model.ts';

/** The role that the account has in the team itself. */
export async function findTeamRole(
  db: Db,
  number: number,
  accountId: string,
): Promise<OrganizationTeamRole | undefined> {
  const row = await db
    .selectFrom('organization_team_members')
    .select('role')
    .where('team_number', '=', number)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.role as OrganizationTeamRole | undefined;
}

/** Whether the account is a member of one of the teams. */
export async function isInTeams(db: Db, numbers: readonly number[], accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('organization_team_members')
    .select('team_number')
    .where('account_id', '=', accountId)
    .where('team_number', 'in', numbers)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The accounts in any of the teams, by id, each once. Only maintainers of the first team count as such. */
export async function listTeamMembers(
  db: Db,
  numbers: readonly [number, ...number[]],
  role: OrganizationTeamRole | undefined,
  { offset, limit }: Slice,
): Promise<{ items: string[]; total: number }> {
  const maintains = sql<number>`max(case when team_number = ${numbers[0]} and role = 'maintainer' then 1 else 0 end)`;
  const members = db
    .selectFrom('organization_team_members')
    .where('team_number', 'in', numbers)
    .groupBy('account_id')
    .$if(role !== undefined, (query) => query.having(maintains, '=', role === 'maintainer' ? 1 : 0));
  const [rows, { total }] = await Promise.all([
    members.select('account_id').orderBy('account_id').offset(offset).limit(limit).execute(),
    db
      .selectFrom(members.select('account_id').as('found'))
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map((row) => row.account_id), total };
}

/** Adds a member, or changes the role of one. */
export async function saveTeamMember(
  tx: Db,
  number: number,
  accountId: string,
  role: OrganizationTeamRole,
  now: number,
): Promise<void> {
  await tx
    .insertInto('organization_team_members')
    .values({ team_number: number, account_id: accountId, role, created_at: now })
    .onConflict((conflict) => conflict.columns(['team_number', 'account_id']).doUpdateSet({ role }))
    .execute();
}

export async function deleteTeamMember(tx: Db, number: number, accountId: string): Promise<void> {
  await tx
    .deleteFrom('organization_team_members')
    .where('team_number', '=', number)
    .where('account_id', '=', accountId)
    .execute();
}
