// Custom roles: a named policy on top of a base role.
import { sql, type Selectable } from 'kysely';
import { Failure } from '../failure.ts';
import { newId } from '../id.ts';
import { lockRows } from '../storage/locks.ts';
import { contested } from '../storage/retry.ts';
import type { Db, Tables } from '../storage/tables.ts';
import { escapeLike } from '../storage/search.ts';
import { parseStatements, type BaseRole, type PolicyStatement } from './policy.ts';

export interface Role {
  id: string;
  key: string;
  name: string;
  description: string;
  policy: PolicyStatement[];
  baseRole: BaseRole;
  category: string | undefined;
  version: number;
  createdAt: number;
}

export interface NewRole {
  key: string;
  name: string;
  description?: string;
  policy: PolicyStatement[];
  baseRole?: BaseRole;
  category?: string | undefined;
}

/** Keys must not look like ids: members hold roles by id or key, so a key equal to another role's id would grant both. */
const ID = /^[0-9a-f]{24}$/;

/** Throws a conflict if the key is taken. */
export async function insertRole(db: Db, role: NewRole, now: number): Promise<Role> {
  if (ID.test(role.key)) throw new Failure('invalid', 'The key of a role cannot look like an id.');
  const row = await db
    .insertInto('roles')
    .values({
      id: newId(now),
      key: role.key,
      name: role.name,
      description: role.description ?? '',
      policy: JSON.stringify(parseStatements(role.policy)),
      base_role: role.baseRole ?? 'no_access',
      category: role.category ?? null,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return roleOf(row);
}

export async function listRoles(db: Db): Promise<Role[]> {
  const rows = await db.selectFrom('roles').selectAll().orderBy('created_at').orderBy('key').execute();
  return rows.map(roleOf);
}

/** By id or key. */
export async function findRole(db: Db, name: string): Promise<Role | undefined> {
  const [found] = await findRoles(db, [name]);
  return found;
}

/** The existing roles among these ids and keys. */
export async function findRoles(db: Db, names: readonly string[]): Promise<Role[]> {
  if (names.length === 0) return [];
  const rows = await db.selectFrom('roles').selectAll().where(isNamed(names)).orderBy('key').execute();
  return rows.map(roleOf);
}

function isNamed(names: readonly string[]) {
  return sql<boolean>`(id in (${sql.join(names)}) or key in (${sql.join(names)}))`;
}

/** Writes all but the key; refuses when someone else changed the role since it was read. */
export async function updateRole(db: Db, before: Role, after: Role): Promise<Role> {
  const row = await db
    .updateTable('roles')
    .set({
      name: after.name,
      description: after.description,
      policy: JSON.stringify(after.policy),
      base_role: after.baseRole,
      category: after.category ?? null,
      version: before.version + 1,
    })
    .where('id', '=', before.id)
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw contested('role');
  return roleOf(row);
}

/**
 * Deletes the role and removes it from everyone who holds it: a later role with the same key must not become theirs. A
 * token without other permissions may do nothing from then on.
 */
export async function deleteRole(db: Db, { id, key }: Role): Promise<void> {
  for (const table of ['members', 'tokens'] as const) {
    const holders = await db
      .selectFrom(table)
      .select(['id', 'custom_roles'])
      .where('custom_roles', '<>', '[]')
      .where(mentions([id, key]))
      .orderBy('id')
      .forUpdate()
      .execute();
    for (const holder of holders) {
      const rest = (JSON.parse(holder.custom_roles) as string[]).filter(
        (name) => name !== id && name !== key,
      );
      await db
        .updateTable(table)
        .set((eb) => ({ custom_roles: JSON.stringify(rest), version: eb('version', '+', 1) }))
        .where('id', '=', holder.id)
        .execute();
      if (table === 'tokens' && rest.length === 0) {
        await db.updateTable('tokens').set({ role: 'no_access' }).where('id', '=', holder.id).execute();
      }
    }
  }
  await db.deleteFrom('roles').where('id', '=', id).execute();
}

export interface Holders {
  members: number;
  teams: number;
  tokens: number;
}

/** How many members, teams and tokens hold each role directly. */
export async function countHolders(db: Db, roles: readonly Role[]): Promise<Map<string, Holders>> {
  const counts = new Map<string, Holders>(roles.map(({ id }) => [id, { members: 0, teams: 0, tokens: 0 }]));
  if (roles.length === 0) return counts;
  const idOf = new Map(roles.flatMap(({ id, key }) => [[key, id] as const, [id, id] as const]));
  for (const table of ['members', 'tokens'] as const) {
    const rows = await db
      .selectFrom(table)
      .select('custom_roles')
      .where('custom_roles', '<>', '[]')
      // For many roles it is faster to read all holders, and SQLite limits the size of a condition.
      .$if(roles.length <= FEW, (query) => query.where(mentions([...idOf.keys()])))
      .execute();
    for (const { custom_roles } of rows) {
      const held = new Set((JSON.parse(custom_roles) as string[]).map((name) => idOf.get(name)));
      for (const id of held) if (id !== undefined) counts.get(id)![table] += 1;
    }
  }
  const teams = await db
    .selectFrom('team_roles')
    .select(['role_id', ({ fn }) => fn.countAll<number>().as('total')])
    .where('role_id', 'in', [...counts.keys()])
    .groupBy('role_id')
    .execute();
  for (const { role_id, total } of teams) counts.get(role_id)!.teams = total;
  return counts;
}

const FEW = 20;

function mentions(names: readonly string[]) {
  const each = names.map(
    (name) => sql`custom_roles like ${`%${escapeLike(JSON.stringify(name))}%`} escape '\\'`,
  );
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

/** Locks the role for a change of it or its holders, and returns its current state. */
export async function lockRole(tx: Db, role: Role): Promise<Role> {
  const held = await lockRows(tx, tx.selectFrom('roles').selectAll().where('id', '=', role.id).forUpdate());
  if (held?.length === 0) throw contested('role'); // another role may have its key by now
  return held === undefined ? role : roleOf(held[0]!);
}

/** Locks the roles against deletion while they are granted. */
export async function shareLockRoles(tx: Db, roles: readonly Role[]): Promise<void> {
  if (roles.length === 0) return;
  const ids = roles.map(({ id }) => id);
  const held = await lockRows(
    tx,
    tx.selectFrom('roles').select('id').where('id', 'in', ids).orderBy('id').forKeyShare(),
  );
  if (held !== undefined && held.length < new Set(ids).size) throw contested('role');
}

/** The names that are neither id nor key of a custom role. */
export async function listUnknownRoles(db: Db, names: readonly string[]): Promise<string[]> {
  const known = new Set((await findRoles(db, names)).flatMap(({ id, key }) => [id, key]));
  return names.filter((name) => !known.has(name));
}

export function roleOf(row: Selectable<Tables['roles']>): Role {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    description: row.description,
    policy: JSON.parse(row.policy) as PolicyStatement[],
    baseRole: row.base_role as BaseRole,
    category: row.category ?? undefined,
    version: row.version,
    createdAt: row.created_at,
  };
}
