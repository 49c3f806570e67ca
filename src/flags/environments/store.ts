// Environments in the database.
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { newId } from '../../kernel/id.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { lockRows } from '../../kernel/storage/locks.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { couldBeId, couldBeKey } from '../fields.ts';
import type { Environment, EnvironmentDoc, NewEnvironment } from '../projects/project.ts';

/** With `lock`, the row is locked against deletion until the transaction ends. */
export async function findEnvironment(
  db: Db,
  projectId: string,
  key: string,
  lock?: 'hold',
): Promise<Environment | undefined> {
  if (!couldBeKey(key)) return undefined;
  const row = await db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .$if(lock !== undefined, (query) => query.forKeyShare())
    .executeTakeFirst();
  return row && environmentOf(row);
}

/** Also finds by an old key that has not expired; the same for the other two kinds of key. */
export async function findEnvironmentBySdkKey(
  db: Db,
  key: string,
  now: number,
): Promise<Environment | undefined> {
  return SDK_KEY.test(key)
    ? await findByKey(db, 'sdk_key', 'old_sdk_key', 'old_sdk_until', key, now)
    : undefined;
}

export async function findEnvironmentByMobileKey(
  db: Db,
  key: string,
  now: number,
): Promise<Environment | undefined> {
  return MOBILE_KEY.test(key)
    ? await findByKey(db, 'mobile_key', 'old_mobile_key', 'old_mobile_until', key, now)
    : undefined;
}

export async function findEnvironmentByClientId(
  db: Db,
  id: string,
  now: number,
): Promise<Environment | undefined> {
  return couldBeId(id)
    ? await findByKey(db, 'client_id', 'old_client_id', 'old_client_until', id, now)
    : undefined;
}

/** For records that store an environment id. */
export async function findEnvironmentById(db: Db, id: string): Promise<Environment | undefined> {
  const row = await db.selectFrom('environments').selectAll().where('id', '=', id).executeTakeFirst();
  return row && environmentOf(row);
}

type Name = 'sdk' | 'mobile' | 'client';

async function findByKey(
  db: Db,
  current: 'sdk_key' | 'mobile_key' | 'client_id',
  old: 'old_sdk_key' | 'old_mobile_key' | 'old_client_id',
  until: `old_${Name}_until`,
  key: string,
  now: number,
): Promise<Environment | undefined> {
  const row = await db
    .selectFrom('environments')
    .selectAll()
    .where((where) =>
      where.or([where(current, '=', key), where.and([where(old, '=', key), where(until, '>', now)])]),
    )
    .executeTakeFirst();
  return row && environmentOf(row);
}

/** Sorted by creation. */
export async function listEnvironments(db: Db, projectId: string): Promise<Environment[]> {
  const { rows } = await db.executeQuery(selectOfProject(db, projectId));
  return rows.map(environmentOf);
}

const selectOfProject = buildOnce((db, projectId: string) => selectOfProjects(db, [projectId]));

function selectOfProjects(db: Db, projectIds: readonly string[]) {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', 'in', projectIds)
    .orderBy('project_id')
    .orderBy('created_at')
    .orderBy('key');
}

/** Sorted by project, then by creation. */
export async function listEnvironmentsOfProjects(
  db: Db,
  projectIds: readonly string[],
): Promise<Environment[]> {
  if (projectIds.length === 0) return [];
  return (await selectOfProjects(db, projectIds).execute()).map(environmentOf);
}

/** Locks the row until the transaction ends: read the environment afterwards. */
export async function lockEnvironment(tx: Db, projectKey: string, key: string): Promise<void> {
  if (!couldBeKey(projectKey) || !couldBeKey(key)) return;
  await lockRows(
    tx,
    tx
      .selectFrom('environments')
      .select('id')
      .where('key', '=', key)
      .where('project_id', '=', (select) =>
        select.selectFrom('projects').select('projects.id').where('projects.key', '=', projectKey),
      )
      .forNoKeyUpdate(), // does not block inserts of rows that reference it
  );
}

/** Generates new SDK keys. Undefined if the key is taken. */
export async function insertEnvironment(
  db: Db,
  environment: NewEnvironment,
  now: number,
): Promise<Environment | undefined> {
  const row = await db
    .insertInto('environments')
    .values({
      id: newId(now),
      project_id: environment.projectId,
      key: environment.key,
      ...columnsOf({
        ...environment,
        sdkKey: newSdkKey(),
        mobileKey: newMobileKey(),
        clientId: newId(now),
      }),
      version: 1,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && environmentOf(row);
}

/** Fails with `conflict` if it no longer has the version that was read. */
export async function updateEnvironment(db: Db, after: Environment): Promise<Environment> {
  const row = await db
    .updateTable('environments')
    .set({ ...columnsOf(after), version: after.version + 1 })
    .where('id', '=', after.id)
    .where('version', '=', after.version)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw contested('environment');
  return environmentOf(row);
}

/** Cascades to everything in it. */
export async function deleteEnvironment(db: Db, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('environments')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw contested('environment'); // another one may have its key by now
}

const SDK_KEY = /^sdk-[\w-]{1,100}$/;
const MOBILE_KEY = /^mob-[\w-]{1,100}$/;

export function newSdkKey(): string {
  return `sdk-${randomUUID()}`;
}

export function newMobileKey(): string {
  return `mob-${randomUUID()}`;
}

type Columns = Omit<Environment, 'id' | 'projectId' | 'key' | 'version' | 'createdAt'>;

function columnsOf(environment: Columns) {
  const { name, tags, critical, sdkKey, oldSdkKey, mobileKey, oldMobileKey, clientId, oldClientId } =
    environment;
  const kept: EnvironmentDoc = {
    color: environment.color,
    defaultTtl: environment.defaultTtl,
    secureMode: environment.secureMode,
    defaultTrackEvents: environment.defaultTrackEvents,
    requireComments: environment.requireComments,
    confirmChanges: environment.confirmChanges,
    approvalSettings: environment.approvalSettings,
    ...(environment.resourceApprovalSettings && {
      resourceApprovalSettings: environment.resourceApprovalSettings,
    }),
  };
  return {
    name,
    tags: JSON.stringify(tags),
    is_critical: critical ? 1 : 0,
    sdk_key: sdkKey,
    old_sdk_key: oldSdkKey?.key ?? null,
    old_sdk_until: oldSdkKey?.until ?? null,
    mobile_key: mobileKey,
    old_mobile_key: oldMobileKey?.key ?? null,
    old_mobile_until: oldMobileKey?.until ?? null,
    client_id: clientId,
    old_client_id: oldClientId?.key ?? null,
    old_client_until: oldClientId?.until ?? null,
    doc: JSON.stringify(kept),
  };
}

function environmentOf(row: Selectable<Tables['environments']>): Environment {
  return {
    ...(JSON.parse(row.doc) as EnvironmentDoc),
    id: row.id,
    projectId: row.project_id,
    key: row.key,
    name: row.name,
    tags: JSON.parse(row.tags) as string[],
    critical: row.is_critical === 1,
    sdkKey: row.sdk_key,
    ...(row.old_sdk_key !== null && { oldSdkKey: { key: row.old_sdk_key, until: row.old_sdk_until! } }),
    mobileKey: row.mobile_key,
    ...(row.old_mobile_key !== null && {
      oldMobileKey: { key: row.old_mobile_key, until: row.old_mobile_until! },
    }),
    clientId: row.client_id,
    ...(row.old_client_id !== null && {
      oldClientId: { key: row.old_client_id, until: row.old_client_until! },
    }),
    version: row.version,
    createdAt: row.created_at,
  };
}
