// The repositories that installations select and reach, and the apps that may write to one, in the database.
import { sql, type RawBuilder } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RepositorySelection } from './app.ts';
import { type AppPermissions, heldRights } from './permissions.ts';

export async function insertInstallationRepositories(
  tx: Db,
  number: number,
  repositories: readonly number[],
): Promise<void> {
  for (const some of chunk([...new Set(repositories)]))
    await tx
      .insertInto('host_installation_repositories')
      .values(some.map((one) => ({ installation_number: number, repository_number: one })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

export async function deleteInstallationRepositories(
  tx: Db,
  number: number,
  repositories: readonly number[],
): Promise<void> {
  for (const some of chunk([...new Set(repositories)]))
    await tx
      .deleteFrom('host_installation_repositories')
      .where('installation_number', '=', number)
      .where('repository_number', 'in', some)
      .execute();
}

/** When a repository ends or gets another owner. */
export async function deleteRepositoryFromInstallations(tx: Db, repositoryNumber: number): Promise<void> {
  await tx
    .deleteFrom('host_installation_repositories')
    .where('repository_number', '=', repositoryNumber)
    .execute();
}

/** The repositories that an installation, or one of its tokens, reaches. */
export interface InstallationReach {
  installation: number;
  accountId: string;
  selection: RepositorySelection;
  /** The numbers that a token is limited to. */
  only: readonly number[] | null;
}

/** A condition on the table `repositories`, beside that it is not deleted. */
export function reachedBy({
  installation,
  accountId,
  selection,
  only,
}: InstallationReach): RawBuilder<boolean> {
  const conditions = [
    sql`repositories.owner_id = ${accountId}`,
    ...(selection === 'all'
      ? []
      : [
          sql`repositories.number in (
            select repository_number from host_installation_repositories where installation_number = ${installation})`,
        ]),
    ...(only === null
      ? []
      : [only.length === 0 ? sql`1 = 0` : sql`repositories.number in (${sql.join(only)})`]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** Which of these repositories it reaches. */
export async function listReachedNumbers(
  db: Db,
  reach: InstallationReach,
  numbers: readonly number[],
): Promise<Set<number>> {
  const reached = new Set<number>();
  for (const some of chunk([...new Set(numbers)])) {
    const { rows } = await sql<{ number: number }>`
      select number from repositories
      where number in (${sql.join(some)}) and deleted_at is null and ${reachedBy(reach)}`.execute(db);
    for (const { number } of rows) reached.add(number);
  }
  return reached;
}

/** By name in lower case; those that it does not reach are missing. */
export async function listNamedRepositories(
  db: Db,
  reach: InstallationReach,
  ownerLogin: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const start = `${ownerLogin}/`.toLowerCase();
  const folded = [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => !name.includes('\0'));
  for (const some of chunk(folded)) {
    const { rows } = await sql<{ full_name: string; number: number }>`
      select full_name, number from repositories
      where full_name in (${sql.join(some.map((name) => start + name))}) and deleted_at is null
        and ${reachedBy(reach)}`.execute(db);
    for (const { full_name: name, number } of rows) found.set(name.slice(start.length), number);
  }
  return found;
}

/** In the order in which they were created. */
export async function listReachedRepositories(
  db: Db,
  reach: InstallationReach,
  { offset, limit }: Slice,
): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select number from repositories where deleted_at is null and ${reachedBy(reach)}
    order by created_at, number limit ${limit} offset ${offset}`.execute(db);
  return rows.map(({ number }) => number);
}

/** Counting stops at `most`. */
export async function countReached(db: Db, reach: InstallationReach, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 from repositories where deleted_at is null and ${reachedBy(reach)} limit ${most}) as counted`.execute(
    db,
  );
  return rows[0]!.count;
}

/** Those among the accounts that are bots of apps whose installation on the owner reaches the repository and writes contents. */
export async function listWritingBots(
  db: Db,
  { number, ownerId }: { number: number; ownerId: string },
  accountIds: readonly string[],
): Promise<string[]> {
  if (accountIds.length === 0) return [];
  const rows = await db
    .selectFrom('host_installations')
    .innerJoin('host_apps', 'host_apps.number', 'host_installations.app_number')
    .select([
      'host_apps.bot_id',
      'host_apps.permissions as asked',
      'host_apps.lost_rights',
      'host_installations.permissions',
      'host_installations.rights_revision',
    ])
    .where('host_installations.account_id', '=', ownerId)
    .where('host_installations.removed_at', 'is', null)
    .where('host_apps.deleted_at', 'is', null)
    .where('host_apps.bot_id', 'in', accountIds)
    .where(
      sql<boolean>`(host_installations.repository_selection = 'all' or exists (
        select 1 from host_installation_repositories as selected
        where selected.installation_number = host_installations.number and selected.repository_number = ${number}))`,
    )
    .execute();
  return rows.filter((row) => writesContents(row)).map(({ bot_id: id }) => id);
}

function writesContents(row: {
  asked: string;
  lost_rights: string;
  permissions: string;
  rights_revision: number;
}): boolean {
  const app = {
    permissions: JSON.parse(row.asked) as AppPermissions,
    events: [],
    lostRights: JSON.parse(row.lost_rights) as Record<string, number>,
  };
  const permissions = JSON.parse(row.permissions) as AppPermissions;
  const { contents } = heldRights(app, {
    permissions,
    events: [],
    rightsRevision: row.rights_revision,
  }).permissions;
  return contents === 'write';
}
