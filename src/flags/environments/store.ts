// Environments in the database.
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { newId } from '../../kernel/id.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { couldBeKey } from '../fields.ts';
import type { Environment } from '../projects/project.ts';

type Kept = Omit<
  Environment,
  | 'id'
  | 'projectId'
  | 'key'
  | 'name'
  | 'tags'
  | 'critical'
  | 'sdkKey'
  | 'oldSdkKey'
  | 'mobileKey'
  | 'version'
  | 'createdAt'
>;

export type NewEnvironment = Kept & Pick<Environment, 'projectId' | 'key' | 'name' | 'tags' | 'critical'>;

export async function findEnvironment(
  db: Db,
  projectId: string,
  key: string,
): Promise<Environment | undefined> {
  if (!couldBeKey(key)) return undefined;
  const row = await db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row && environmentOf(row);
}

/** All of a project, in the order they were made. */
export async function listEnvironments(db: Db, projectId: string): Promise<Environment[]> {
  const rows = await db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(environmentOf);
}

/** With fresh keys. Undefined when the key is taken. */
export async function createEnvironment(
  db: Db,
  { projectId, key, name, tags, critical, ...kept }: NewEnvironment,
  now: number,
): Promise<Environment | undefined> {
  const row = await db
    .insertInto('environments')
    .values({
      id: newId(now),
      project_id: projectId,
      key,
      name,
      tags: JSON.stringify(tags),
      is_critical: critical ? 1 : 0,
      doc: JSON.stringify(kept),
      sdk_key: newSdkKey(),
      old_sdk_key: null,
      old_sdk_until: null,
      mobile_key: newMobileKey(),
      version: 1,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && environmentOf(row);
}

export function newSdkKey(): string {
  return `sdk-${randomUUID()}`;
}

export function newMobileKey(): string {
  return `mob-${randomUUID()}`;
}

function environmentOf(row: Selectable<Tables['environments']>): Environment {
  return {
    ...(JSON.parse(row.doc) as Kept),
    id: row.id,
    projectId: row.project_id,
    key: row.key,
    name: row.name,
    tags: JSON.parse(row.tags) as string[],
    critical: row.is_critical === 1,
    sdkKey: row.sdk_key,
    ...(row.old_sdk_key !== null && { oldSdkKey: { key: row.old_sdk_key, until: row.old_sdk_until! } }),
    mobileKey: row.mobile_key,
    version: row.version,
    createdAt: row.created_at,
  };
}
