// Installations in the database.
import { sql, type Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Installation, RepositorySelection } from './app.ts';
import type { AppPermissions } from './permissions.ts';
import type { InstallationRow } from './tables.ts';

export type NewInstallation = Pick<
  Installation,
  'appNumber' | 'accountId' | 'targetType' | 'selection' | 'permissions' | 'events' | 'rightsRevision'
>;

/** Undefined where the app is installed on the account already. */
export async function insertInstallation(
  tx: Db,
  fields: NewInstallation,
  now: number,
): Promise<Installation | undefined> {
  const row = await tx
    .insertInto('host_installations')
    .values({
      app_number: fields.appNumber,
      account_id: fields.accountId,
      target_type: fields.targetType,
      repository_selection: fields.selection,
      permissions: JSON.stringify(fields.permissions),
      events: JSON.stringify(fields.events),
      rights_revision: fields.rightsRevision,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && installationFrom(row);
}

export async function updateInstallation(
  tx: Db,
  {
    number,
    selection,
    permissions,
    events,
    rightsRevision,
    suspendedAt,
    suspendedBy,
    removedAt,
  }: Installation,
  now: number,
): Promise<Installation> {
  const row = await tx
    .updateTable('host_installations')
    .set({
      repository_selection: selection,
      permissions: JSON.stringify(permissions),
      events: JSON.stringify(events),
      rights_revision: rightsRevision,
      suspended_at: suspendedAt,
      suspended_by: suspendedBy,
      removed_at: removedAt,
      updated_at: now,
    })
    .where('number', '=', number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return installationFrom(row);
}

/** With everything below it. */
export function installationRemovalStatements(db: Db, number: number): SqlStatement[] {
  return [
    db.deleteFrom('host_installation_tokens').where('installation_number', '=', number).compile(),
    db.deleteFrom('host_installation_repositories').where('installation_number', '=', number).compile(),
    db.deleteFrom('host_installations').where('number', '=', number).compile(),
  ];
}

/** All installations on an account that ends. */
export function accountInstallationStatements(db: Db, accountId: string): SqlStatement[] {
  const numbers = db.selectFrom('host_installations').select('number').where('account_id', '=', accountId);
  return [
    db.deleteFrom('host_installation_tokens').where('installation_number', 'in', numbers).compile(),
    db.deleteFrom('host_installation_repositories').where('installation_number', 'in', numbers).compile(),
    db.deleteFrom('host_installations').where('account_id', '=', accountId).compile(),
  ];
}

const MAX_NUMBER = 2 ** 31 - 1;

/** Also while background work removes it. */
export async function findInstallation(db: Db, number: number): Promise<Installation | undefined> {
  if (!Number.isInteger(number) || number < 1 || number > MAX_NUMBER) return undefined;
  const row = await db
    .selectFrom('host_installations')
    .selectAll()
    .where('number', '=', number)
    .executeTakeFirst();
  return row && installationFrom(row);
}

/** Those of the installations that nobody removed. */
export async function listLivingInstallations(db: Db, numbers: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('host_installations')
    .select('number')
    .where('number', 'in', numbers)
    .where('removed_at', 'is', null)
    .execute();
  return new Set(rows.map(({ number }) => number));
}

/** Locked until the transaction ends: against all others, or against those that change it. */
export async function lockInstallation(
  tx: Db,
  number: number,
  mode: 'update' | 'share' = 'update',
): Promise<Installation | undefined> {
  if (!Number.isInteger(number) || number < 1 || number > MAX_NUMBER) return undefined;
  const row = await tx
    .selectFrom('host_installations')
    .selectAll()
    .where('number', '=', number)
    .$call((query) => (mode === 'update' ? query.forUpdate() : query.forShare()))
    .executeTakeFirst();
  return row && installationFrom(row);
}

/** Not one that is being removed. */
export async function findInstallationOn(
  db: Db,
  appNumber: number,
  accountId: string,
): Promise<Installation | undefined> {
  const row = await db
    .selectFrom('host_installations')
    .selectAll()
    .where('app_number', '=', appNumber)
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return row && installationFrom(row);
}

export interface InstallationFilter {
  /** Those that changed since then. */
  since?: number;
}

/** Of an app, in the order in which they were created; also those that are being removed. */
export async function listInstallationsOf(
  db: Db,
  appNumber: number,
  { offset, limit }: Slice,
  { since }: InstallationFilter = {},
): Promise<Installation[]> {
  const rows = await db
    .selectFrom('host_installations')
    .selectAll()
    .where('app_number', '=', appNumber)
    .$if(since !== undefined, (query) => query.where('updated_at', '>=', since!))
    .orderBy('number')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(installationFrom);
}

/** On accounts, in the order in which they were created; none that are being removed. */
export async function listInstallationsOn(
  db: Db,
  accountIds: readonly string[],
  { offset, limit }: Slice,
): Promise<Installation[]> {
  if (accountIds.length === 0) return [];
  const rows = await db
    .selectFrom('host_installations')
    .selectAll()
    .where('account_id', 'in', accountIds)
    .where('removed_at', 'is', null)
    .orderBy('number')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(installationFrom);
}

export async function countInstallationsOn(db: Db, accountIds: readonly string[]): Promise<number> {
  if (accountIds.length === 0) return 0;
  const { count } = await db
    .selectFrom('host_installations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', 'in', accountIds)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Counting stops there. */
export const MAX_COUNTED_INSTALLATIONS = 1000;

export async function countInstallationsOf(db: Db, appNumber: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 from host_installations where app_number = ${appNumber} limit ${MAX_COUNTED_INSTALLATIONS}) as counted`.execute(
    db,
  );
  return rows[0]!.count;
}

function installationFrom(row: Selectable<InstallationRow>): Installation {
  return {
    number: row.number,
    appNumber: row.app_number,
    accountId: row.account_id,
    targetType: row.target_type as Installation['targetType'],
    selection: row.repository_selection as RepositorySelection,
    permissions: JSON.parse(row.permissions) as AppPermissions,
    events: JSON.parse(row.events) as string[],
    rightsRevision: row.rights_revision,
    suspendedAt: row.suspended_at,
    suspendedBy: row.suspended_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    removedAt: row.removed_at,
  };
}
