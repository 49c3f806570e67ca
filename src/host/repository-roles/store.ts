// Custom repository roles in the database, and the role that a request means, which may be one of them.
import type { Selectable } from 'kysely';
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { parseRole } from '../repositories/repository.ts';
import type { CustomBaseRole, CustomRepositoryRole } from './model.ts';
import type { RepositoryRoleRow } from './tables.ts';

/** By name. */
export async function listRepositoryRoles(db: Db, organizationId: string): Promise<CustomRepositoryRole[]> {
  const rows = await db
    .selectFrom('repository_roles')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('folded_name')
    .execute();
  return rows.map(repositoryRoleFrom);
}

export async function findRepositoryRole(
  db: Db,
  organizationId: string,
  number: number,
): Promise<CustomRepositoryRole | undefined> {
  const row = await db
    .selectFrom('repository_roles')
    .selectAll()
    .where('number', '=', number)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row && repositoryRoleFrom(row);
}

/** In whatever case. */
export async function findRepositoryRoleByName(
  db: Db,
  organizationId: string,
  name: string,
): Promise<CustomRepositoryRole | undefined> {
  const row = await db
    .selectFrom('repository_roles')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('folded_name', '=', foldCase(name))
    .executeTakeFirst();
  return row && repositoryRoleFrom(row);
}

export type RepositoryRoleFields = Pick<
  CustomRepositoryRole,
  'name' | 'description' | 'baseRole' | 'permissions'
>;

export async function insertRepositoryRole(
  tx: Db,
  organizationId: string,
  fields: RepositoryRoleFields,
  now: number,
): Promise<CustomRepositoryRole> {
  const row = await tx
    .insertInto('repository_roles')
    .values({ ...columnsOf(fields), organization_id: organizationId, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  return repositoryRoleFrom(row);
}

export async function updateRepositoryRole(
  tx: Db,
  number: number,
  fields: RepositoryRoleFields,
  now: number,
): Promise<CustomRepositoryRole> {
  const row = await tx
    .updateTable('repository_roles')
    .set({ ...columnsOf(fields), updated_at: now })
    .where('number', '=', number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return repositoryRoleFrom(row);
}

export async function deleteRepositoryRole(tx: Db, number: number): Promise<void> {
  await tx.deleteFrom('repository_roles').where('number', '=', number).execute();
}

/** Grants name roles by their names: those of one become another's, on all repositories of the organization. */
export async function replaceGrantedRole(
  tx: Db,
  organizationId: string,
  from: string,
  to: string,
): Promise<void> {
  for (const table of ['team_repositories', 'collaborators'] as const) {
    await tx
      .updateTable(table)
      .set({ role: to })
      .where('role', '=', from)
      .where('repository_number', 'in', (repositories) =>
        repositories.selectFrom('repositories').select('number').where('owner_id', '=', organizationId),
      )
      .execute();
  }
}

/** For a repository that gets another owner, who does not have the custom roles of the former one. */
export async function replaceCustomRoles(tx: Db, repositoryNumber: number, ownerId: string): Promise<void> {
  for (const { name, baseRole } of await listRepositoryRoles(tx, ownerId)) {
    await tx
      .updateTable('collaborators')
      .set({ role: baseRole })
      .where('repository_number', '=', repositoryNumber)
      .where('role', '=', name)
      .execute();
  }
}

function columnsOf({ name, description, baseRole, permissions }: RepositoryRoleFields) {
  return {
    name,
    folded_name: foldCase(name),
    description,
    base_role: baseRole,
    permissions: JSON.stringify(permissions),
  };
}

function repositoryRoleFrom(row: Selectable<RepositoryRoleRow>): CustomRepositoryRole {
  return {
    number: row.number,
    organizationId: row.organization_id,
    name: row.name,
    description: row.description,
    baseRole: row.base_role as CustomBaseRole,
    permissions: JSON.parse(row.permissions) as string[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The role to store, which for a custom one is its exact name. Throws for words that name no role. */
export async function readGrantedRole(db: Db, ownerId: string, word: string): Promise<string> {
  const builtIn = parseRole(word);
  if (builtIn !== undefined) return builtIn;
  const custom = word.includes('\0') ? undefined : await findRepositoryRoleByName(db, ownerId, word);
  if (custom !== undefined) return custom.name;
  throw problem(
    'permission',
    'must be pull, triage, push, maintain, admin or the name of a custom repository role',
  );
}
