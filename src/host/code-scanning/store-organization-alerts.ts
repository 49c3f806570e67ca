// The alerts of owners, as of an organization: those on the default branches of their repositories, in the order of an index.
import { sql, type RawBuilder } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { reachedBy, type InstallationReach } from '../apps/store-reach.ts';
import { teamNumbersOf } from '../repositories/store-visibility.ts';
import { ALERT_STATES, type AlertState, type ScanningAlert } from './alert.ts';
import {
  hasProperties,
  listAlertsByKey,
  type AlertCursor,
  type AlertFilter,
  type AlertOrder,
} from './store-alerts.ts';

export interface AlertsOwner {
  ownerId: string;
  /** Of the installation that asks. */
  reach?: InstallationReach;
  /** Those of its repositories that are wanted; absent where all are. */
  numbers?: readonly number[];
}

export async function listOrganizationAlerts(
  db: Db,
  owner: AlertsOwner,
  filter: AlertFilter,
  order: AlertOrder,
  slice: Slice,
  after?: AlertCursor,
): Promise<ScanningAlert[]> {
  return await listAlertsOfOwners(db, [owner], filter, order, slice, after);
}

/** An engine takes only so many parts of one statement: about 150 owners. */
export async function listAlertsOfOwners(
  db: Db,
  owners: readonly AlertsOwner[],
  { states = ALERT_STATES, ...filter }: AlertFilter,
  { sort, desc }: AlertOrder,
  { offset, limit }: Slice,
  after?: AlertCursor,
): Promise<ScanningAlert[]> {
  const direction = sql.raw(desc ? 'desc' : 'asc');
  const time = sql.ref(`shown.${sort}_at`);
  const beyond =
    after === undefined
      ? sql`1 = 1`
      : sql`(${time}, shown.repository_number, shown.alert_number) ${sql.raw(desc ? '<' : '>')}
          (${after.at}, ${after.repositoryNumber}, ${after.number})`;
  const part = (owner: AlertsOwner, state: AlertState) => sql`select * from (
    select shown.repository_number, shown.ref, shown.alert_number, ${time} as at from code_scanning_alert_refs shown
    where shown.listed_by = ${owner.ownerId} and shown.state = ${state} and ${isShown(owner)}
      and ${beyond} and ${isWanted(filter)}
    order by ${time} ${direction}, shown.repository_number ${direction}, shown.alert_number ${direction}
    limit ${offset + limit}) as part`;
  const parts = owners.flatMap((owner) => states.map((state) => part(owner, state)));
  if (parts.length === 0) return [];
  const { rows } = await sql<{ repository_number: number; ref: string; alert_number: number }>`
    select repository_number, ref, alert_number from (${sql.join(parts, sql` union all `)}) as listed
    order by at ${direction}, repository_number ${direction}, alert_number ${direction}
    limit ${limit} offset ${offset}`.execute(db);
  return await listAlertsByKey(
    db,
    rows.map((row) => ({
      repositoryNumber: row.repository_number,
      ref: row.ref,
      number: row.alert_number,
    })),
  );
}

/** A repository that has another owner or default branch since may not be relisted yet. */
function isShown({ ownerId, reach, numbers }: AlertsOwner): RawBuilder<unknown> {
  return sql`exists (select 1 from repositories where repositories.number = shown.repository_number
    and repositories.owner_id = ${ownerId} and repositories.deleted_at is null
    and 'refs/heads/' || repositories.default_branch = shown.ref
    and ${numbers === undefined ? sql`1 = 1` : sql`repositories.number in (${sql.join(numbers.map((number) => sql.val(number)))})`}
    and ${reach === undefined ? sql`1 = 1` : reachedBy(reach)})`;
}

/** The organizations all of whose repositories the account may write to. */
export async function listWrittenOrganizations(db: Db, accountId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('organization_members as member')
    .innerJoin('organizations', 'organizations.id', 'member.organization_id')
    .select('organizations.id')
    .where('member.account_id', '=', accountId)
    .where((eb) =>
      eb.or([
        eb('member.role', '=', 'admin'),
        eb('organizations.default_permission', 'in', ['write', 'admin']),
      ]),
    )
    .orderBy('organizations.id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Repositories of others on which the account has a role by a grant of its own or of a team. */
export async function listGrantedNumbers(db: Db, accountId: string, limit: number): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select repository_number as number from collaborators where account_id = ${accountId}
    union
    select repository_number as number from team_repositories where team_number in (${teamNumbersOf(accountId)})
    order by number limit ${limit}`.execute(db);
  return rows.map(({ number }) => number);
}

function isWanted(filter: Omit<AlertFilter, 'states'>): RawBuilder<unknown> {
  if (Object.values(filter).every((value) => value === undefined)) return sql`1 = 1`;
  return sql`exists (select 1 from code_scanning_alerts alert
    where alert.repository_number = shown.repository_number and alert.number = shown.alert_number
      and ${hasProperties(filter)})`;
}

/** Lists the alerts with these numbers by the owner and the default branch that the repository has now. */
export async function updateListed(
  tx: Db,
  repositoryNumber: number,
  { start, end }: { start: number; end: number },
): Promise<void> {
  await sql`update code_scanning_alert_refs set listed_by = (
      select repository.owner_id from repositories repository where repository.number = ${repositoryNumber}
        and 'refs/heads/' || repository.default_branch = code_scanning_alert_refs.ref)
    where repository_number = ${repositoryNumber} and alert_number >= ${start} and alert_number < ${end}`.execute(
    tx,
  );
}

/** Zero where there was never one. */
export async function findLastAlert(db: Db, repositoryNumber: number): Promise<number> {
  const row = await db
    .selectFrom('code_scanning_counters')
    .select('last_alert')
    .where('repository_number', '=', repositoryNumber)
    .executeTakeFirst();
  return row?.last_alert ?? 0;
}
