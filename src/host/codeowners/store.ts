// Finds those whom CODEOWNERS names, in the database, many at once.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** The ids of members by login in lower case; of two that differ in case alone, the older one. */
export async function listMembersByLogin(db: Db, logins: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  // The expression of the index.
  const folded = sql<string>`lower(username)`;
  for (const some of chunk(logins)) {
    const rows = await db
      .selectFrom('members')
      .select([folded.as('login'), 'id'])
      .where(folded, 'in', some)
      .where('removed_at', 'is', null)
      .orderBy('number', 'desc')
      .execute();
    for (const { login, id } of rows) found.set(login, id);
  }
  return found;
}

/** The numbers of an organization's teams by slug. */
export async function listTeamsBySlug(
  db: Db,
  organizationId: string,
  slugs: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const some of chunk(slugs)) {
    const rows = await db
      .selectFrom('organization_teams')
      .select(['slug', 'number'])
      .where('organization_id', '=', organizationId)
      .where('slug', 'in', some)
      .execute();
    for (const { slug, number } of rows) found.set(slug, number);
  }
  return found;
}

/** The teams that any of the accounts is in. Members of a team are in its parents too. */
export async function listTeamsOfAccounts(db: Db, accountIds: readonly string[]): Promise<Set<number>> {
  const found = new Set<number>();
  for (const some of chunk(accountIds)) {
    const { rows } = await sql<{ number: number }>`
      with recursive own (number) as (
        select team_number from organization_team_members where account_id in (${sql.join(some)})
        union
        select parent_number from organization_teams join own on own.number = organization_teams.number
        where parent_number is not null)
      select number from own`.execute(db);
    for (const { number } of rows) found.add(number);
  }
  return found;
}
