// Organizations in the database.
import { sql, type Selectable } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  DEFAULT_SETTINGS,
  FIRST_ORGANIZATION_NUMBER,
  type DefaultPermission,
  type Organization,
  type OrganizationProfile,
  type OrganizationSettings,
} from './model.ts';
import type { OrganizationRow } from './tables.ts';

export type OrganizationName = { id: string } | { login: string } | { number: number };

/** The expression of the index. */
const foldedLogin = sql<string>`lower(login)`;

/** A login is found in whatever case. */
export async function findOrganization(db: Db, by: OrganizationName): Promise<Organization | undefined> {
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where((eb) =>
      'id' in by
        ? eb('id', '=', by.id)
        : 'login' in by
          ? eb(foldedLogin, '=', by.login.toLowerCase())
          : eb('number', '=', by.number - FIRST_ORGANIZATION_NUMBER),
    )
    .executeTakeFirst();
  return row && organizationFrom(row);
}

export async function listOrganizationsById(db: Db, ids: readonly string[]): Promise<Organization[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('organizations').selectAll().where('id', 'in', ids).execute();
  return rows.map(organizationFrom);
}

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

export function organizationFrom(row: Selectable<OrganizationRow>): Organization {
  return {
    id: row.id,
    number: FIRST_ORGANIZATION_NUMBER + row.number,
    login: row.login,
    profile: JSON.parse(row.profile) as OrganizationProfile,
    settings: { ...DEFAULT_SETTINGS, ...(JSON.parse(row.settings) as Partial<OrganizationSettings>) },
    defaultPermission: row.default_permission as DefaultPermission,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
