// Organizations in the database.
import { sql, type Selectable } from 'kysely';
import { newId } from '../../kernel/id.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { buildForLists } from '../../kernel/storage/build-once.ts';
import { lockRows } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  EMPTY_PROFILE,
  FIRST_ORGANIZATION_NUMBER,
  isOrganizationLogin,
  type DefaultPermission,
  type Organization,
  type OrganizationCounts,
  type OrganizationMembership,
  type OrganizationProfile,
  type OrganizationRole,
  DEFAULT_SETTINGS,
  type OrganizationSettings,
} from './model.ts';
import type { OrganizationRow } from './tables.ts';

export type OrganizationName = { id: string } | { login: string } | { number: number };

/** The expression of the index. */
const foldedLogin = sql<string>`lower(login)`;

/** A login is found in whatever case. */
export async function findOrganization(db: Db, by: OrganizationName): Promise<Organization | undefined> {
  if (!canName(by)) return undefined;
  const row = await selectNamed(db, by).executeTakeFirst();
  return row && organizationFrom(row);
}

/** Text that no organization can be named by is not queried: PostgreSQL fails on a NUL, for example. */
function canName(by: OrganizationName): boolean {
  return !('login' in by) || isOrganizationLogin(by.login);
}

function selectNamed(db: Db, by: OrganizationName) {
  return db
    .selectFrom('organizations')
    .selectAll('organizations')
    .where((eb) =>
      'id' in by
        ? eb('id', '=', by.id)
        : 'login' in by
          ? eb(foldedLogin, '=', by.login.toLowerCase())
          : eb('number', '=', by.number - FIRST_ORGANIZATION_NUMBER),
    );
}

export interface OrganizationForAccount {
  organization: Organization;
  /** Absent where the account is no member. */
  membership?: OrganizationMembership;
}

/** With the account's membership. */
export async function findOrganizationFor(
  db: Db,
  by: OrganizationName,
  accountId: string,
): Promise<OrganizationForAccount | undefined> {
  if (!canName(by)) return undefined;
  const row = await selectNamed(db, by)
    .leftJoin('organization_members as m', (join) =>
      join.onRef('m.organization_id', '=', 'organizations.id').on('m.account_id', '=', accountId),
    )
    .select(['m.role', 'm.is_public'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const organization = organizationFrom(row);
  if (row.role === null) return { organization };
  const membership = { accountId, role: row.role as OrganizationRole, isPublic: row.is_public === 1 };
  return { organization, membership };
}

/**
 * Locks the organization until the transaction ends. Every change of its members, teams and roles does so first, so that
 * what a change decides by stays true.
 */
export async function lockOrganization(tx: Db, id: string): Promise<void> {
  await lockRows(tx, tx.selectFrom('organizations').select('id').where('id', '=', id).forUpdate());
}

/** Keeps the organization from being deleted until the transaction ends. False where it is gone. */
export async function shareLockOrganization(tx: Db, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function listOrganizationsById(db: Db, ids: readonly string[]): Promise<Organization[]> {
  return (await selectById(db, ids)).map(organizationFrom);
}

const selectById = buildForLists((db, ids: readonly string[]) =>
  db.selectFrom('organizations').selectAll().where('id', 'in', ids),
);

/** Those with larger numbers, by number. */
export async function listOrganizationsAfter(db: Db, number: number, limit: number): Promise<Organization[]> {
  const rows = await db
    .selectFrom('organizations')
    .selectAll()
    .where('number', '>', Math.max(0, number - FIRST_ORGANIZATION_NUMBER))
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(organizationFrom);
}

export interface MembershipInOrganization {
  organization: Organization;
  membership: OrganizationMembership;
}

/** The organizations of an account, by id, which begins with the second of their creation. */
export async function listOrganizationsOf(
  db: Db,
  accountId: string,
  { onlyPublic = false }: { onlyPublic?: boolean },
  { offset, limit }: Slice,
): Promise<{ items: MembershipInOrganization[]; total: number }> {
  const memberships = db
    .selectFrom('organization_members as m')
    .where('m.account_id', '=', accountId)
    .$if(onlyPublic, (query) => query.where('m.is_public', '=', 1));
  const [rows, { total }] = await Promise.all([
    memberships
      .innerJoin('organizations as o', 'o.id', 'm.organization_id')
      .selectAll('o')
      .select(['m.role', 'm.is_public'])
      .orderBy('m.organization_id')
      .offset(offset)
      .limit(limit)
      .execute(),
    memberships.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  const items = rows.map((row) => ({
    organization: organizationFrom(row),
    membership: { accountId, role: row.role as OrganizationRole, isPublic: row.is_public === 1 },
  }));
  return { items, total };
}

export interface NewOrganization {
  login: string;
  name: string | null;
}

/** The caller has reserved the login. */
export async function insertOrganization(
  tx: Db,
  { login, name }: NewOrganization,
  now: number,
): Promise<Organization> {
  const row = await tx
    .insertInto('organizations')
    .values({
      id: newId(now),
      login,
      profile: JSON.stringify({ ...EMPTY_PROFILE, name }),
      settings: '{}',
      default_permission: 'read',
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return organizationFrom(row);
}

export type OrganizationUpdate = Pick<Organization, 'profile' | 'settings' | 'defaultPermission'>;

export async function updateOrganization(
  tx: Db,
  id: string,
  { profile, settings, defaultPermission }: OrganizationUpdate,
  now: number,
): Promise<Organization> {
  const row = await tx
    .updateTable('organizations')
    .set({
      profile: JSON.stringify(profile),
      settings: JSON.stringify(settings),
      default_permission: defaultPermission,
      updated_at: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return organizationFrom(row);
}

/** With its members, teams and custom roles. */
export async function deleteOrganization(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('organizations').where('id', '=', id).execute();
}

export async function countOwnedRepositories(db: Db, organizationId: string): Promise<OrganizationCounts> {
  const row = await db
    .selectFrom('repositories')
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      fn.sum<number | string | null>('is_private').as('secluded'),
      fn.sum<number | string | null>('size_kb').as('size'),
    ])
    .where('owner_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const privateRepositories = Number(row.secluded ?? 0);
  return {
    publicRepositories: row.total - privateRepositories,
    privateRepositories,
    sizeKb: Number(row.size ?? 0),
  };
}

function organizationFrom(row: Selectable<OrganizationRow>): Organization {
  return {
    id: row.id,
    number: FIRST_ORGANIZATION_NUMBER + row.number,
    login: row.login,
    profile: { ...EMPTY_PROFILE, ...(JSON.parse(row.profile) as Partial<OrganizationProfile>) },
    settings: { ...DEFAULT_SETTINGS, ...(JSON.parse(row.settings) as Partial<OrganizationSettings>) },
    defaultPermission: row.default_permission as DefaultPermission,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
