// Custom roles: a name for a policy, on top of a base role.
import { newId } from '../id.ts';
import type { Db } from '../storage/tables.ts';
import {
  compilePolicy,
  parseStatements,
  rolePolicies,
  type BaseRole,
  type Policy,
  type Statement,
} from './policy.ts';

export interface NewRole {
  key: string;
  name: string;
  description?: string;
  policy: Statement[];
  baseRole?: BaseRole;
}

export async function createRole(db: Db, role: NewRole, now: number): Promise<{ id: string }> {
  const id = newId(now);
  await db
    .insertInto('roles')
    .values({
      id,
      key: role.key,
      name: role.name,
      description: role.description ?? '',
      policy: JSON.stringify(parseStatements(role.policy)),
      base_role: role.baseRole ?? 'no_access',
      created_at: now,
    })
    .execute();
  return { id };
}

/** What the named custom roles allow, base permissions included. `names` are ids or keys; unknown ones allow nothing. */
export async function policiesOf(db: Db, names: string[]): Promise<Policy[]> {
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom('roles')
    .select(['policy', 'base_role'])
    .where((eb) => eb.or([eb('id', 'in', names), eb('key', 'in', names)]))
    .execute();
  // Base and own statements make one policy, so that what the role denies is denied whatever its base allows.
  return rows.map(({ policy, base_role }) =>
    compilePolicy([
      ...rolePolicies[base_role as BaseRole].statements,
      ...(JSON.parse(policy) as Statement[]),
    ]),
  );
}

/** Those of the names that no custom role has, as id or key. */
export async function unknownRoles(db: Db, names: string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom('roles')
    .select(['id', 'key'])
    .where((eb) => eb.or([eb('id', 'in', names), eb('key', 'in', names)]))
    .execute();
  const known = new Set(rows.flatMap(({ id, key }) => [id, key]));
  return names.filter((name) => !known.has(name));
}
