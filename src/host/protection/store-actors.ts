// Who the rules for branches name, in the database: users and service tokens by account, and teams.
import { sql, type RawBuilder } from 'kysely';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { teamNumbersOf } from '../repositories/store-visibility.ts';
import type { ActorPurpose } from './rule.ts';

/** Each once, in any order. */
export interface NamedActors {
  accounts: string[];
  teams: number[];
}

/** A repository, and who owns it: the owner's custom roles count. */
export interface OwnedRepository {
  number: number;
  ownerId: string;
}

const WRITING = sql.join(['write', 'maintain', 'admin'].map((role) => sql.lit(role)));

/** The teams that may push to the repository: what a team is granted, its children have. */
function writingTeams({ number, ownerId }: OwnedRepository): RawBuilder<unknown> {
  return sql`
    with recursive writing (number) as (
      select granted.team_number from team_repositories as granted
      left join repository_roles as custom on custom.organization_id = ${ownerId} and custom.name = granted.role
      where granted.repository_number = ${number} and coalesce(custom.base_role, granted.role) in (${WRITING})
      union
      select team.number from organization_teams as team join writing on team.parent_number = writing.number)
    select number from writing`;
}

export async function listWritingTeams(db: Db, repository: OwnedRepository): Promise<Set<number>> {
  const { rows } = await sql<{ number: number }>`${writingTeams(repository)}`.execute(db);
  return new Set(rows.map(({ number }) => number));
}

/** Those of the members who administer the server. */
export async function listAdministrators(db: Db, memberIds: readonly string[]): Promise<string[]> {
  if (memberIds.length === 0) return [];
  const rows = await db
    .selectFrom('members')
    .select('id')
    .where('id', 'in', memberIds)
    .where('role', 'in', ['admin', 'owner'])
    .where('removed_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** By purpose. */
export async function listNamedActors(db: Db, protectionNumber: number): Promise<Map<string, NamedActors>> {
  const rows = await db
    .selectFrom('branch_protection_actors')
    .select(['purpose', 'account_id', 'team_number'])
    .where('protection_number', '=', protectionNumber)
    .execute();
  const named = new Map<string, NamedActors>();
  for (const { purpose, account_id: account, team_number: team } of rows) {
    const known = named.get(purpose) ?? { accounts: [], teams: [] };
    if (account !== null) known.accounts.push(account);
    if (team !== null) known.teams.push(team);
    named.set(purpose, known);
  }
  return named;
}

/** What for the rule names the account, or a team of it that may push. */
export async function listPurposesOf(
  db: Db,
  protectionNumber: number,
  repository: OwnedRepository,
  accountId: string,
): Promise<Set<string>> {
  const { rows } = await sql<{ purpose: string }>`
    select purpose from branch_protection_actors
    where protection_number = ${protectionNumber} and account_id = ${accountId}
    union
    select purpose from branch_protection_actors
    where protection_number = ${protectionNumber}
      and team_number in (${teamNumbersOf(accountId)}) and team_number in (${writingTeams(repository)})`.execute(
    db,
  );
  return new Set(rows.map(({ purpose }) => purpose));
}

/** Replaces those of one purpose. */
export async function replaceActors(
  tx: Db,
  protectionNumber: number,
  purpose: ActorPurpose,
  { accounts, teams }: NamedActors,
): Promise<void> {
  await tx
    .deleteFrom('branch_protection_actors')
    .where('protection_number', '=', protectionNumber)
    .where('purpose', '=', purpose)
    .execute();
  const rows = [
    ...accounts.map((account) => ({ account_id: account, team_number: null })),
    ...teams.map((team) => ({ account_id: null, team_number: team })),
  ];
  if (rows.length === 0) return;
  await tx
    .insertInto('branch_protection_actors')
    .values(rows.map((row) => ({ protection_number: protectionNumber, purpose, ...row })))
    .execute();
}

/** When an account ends. */
export function actorRemovalStatements(db: Db, accountId: string): SqlStatement[] {
  return [db.deleteFrom('branch_protection_actors').where('account_id', '=', accountId).compile()];
}

/** When an account loses its role on a repository, or on all of an owner. */
export async function deleteAccountActors(
  tx: Db,
  accountId: string,
  repositories: { number: number } | { ownerId: string },
): Promise<void> {
  await tx
    .deleteFrom('branch_protection_actors')
    .where('account_id', '=', accountId)
    .where('protection_number', 'in', (rules) =>
      'number' in repositories
        ? rules
            .selectFrom('branch_protections')
            .select('number')
            .where('repository_number', '=', repositories.number)
        : rules
            .selectFrom('branch_protections')
            .innerJoin('repositories', 'repositories.number', 'branch_protections.repository_number')
            .select('branch_protections.number')
            .where('repositories.owner_id', '=', repositories.ownerId),
    )
    .execute();
}

/** When teams lose the repository: those that may not push to it any more. */
export async function deleteStrandedTeams(tx: Db, repository: OwnedRepository): Promise<void> {
  await sql`
    delete from branch_protection_actors
    where protection_number in (
        select number from branch_protections where repository_number = ${repository.number})
      and team_number is not null and team_number not in (${writingTeams(repository)})`.execute(tx);
}
