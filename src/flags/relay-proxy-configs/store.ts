// Relay Proxy configurations in the database.
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { listEnvironmentsOfProjects } from '../environments/store.ts';
import { findProjects } from '../projects/store.ts';
import { findRow, updateRow } from '../store-rows.ts';
import type { RelayProxyConfig } from './model.ts';
import { toRelayEnvironment, type RelayState } from './relay-environment.ts';
import type { RelayProxyConfigRow } from './tables.ts';

/** Locks the number of configurations until the transaction ends. */
export function lockRelayProxyConfigs(tx: Db): Promise<void> {
  return lockName(tx, 'relay-proxy-configs');
}

/** All of them, in order of creation; there are few. */
export async function listRelayProxyConfigs(db: Db): Promise<RelayProxyConfig[]> {
  const rows = await db
    .selectFrom('relay_proxy_configs')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(configOf);
}

/** With `hold`, locks the row until the transaction ends. */
export async function findRelayProxyConfig(
  db: Db,
  id: string,
  hold?: 'hold',
): Promise<RelayProxyConfig | undefined> {
  const row = await findRow(db, 'relay_proxy_configs', id, hold);
  return row && configOf(row);
}

export async function insertRelayProxyConfig(tx: Db, config: RelayProxyConfig): Promise<void> {
  await tx.insertInto('relay_proxy_configs').values(rowOf(config)).execute();
}

/** `before.version` is the version that was read. */
export async function updateRelayProxyConfig(
  tx: Db,
  before: RelayProxyConfig,
  after: RelayProxyConfig,
): Promise<void> {
  await updateRow(tx, 'relay_proxy_configs', before, rowOf(after), 'Relay Proxy configuration');
}

export async function deleteRelayProxyConfig(tx: Db, { id }: Pick<RelayProxyConfig, 'id'>): Promise<void> {
  await tx.deleteFrom('relay_proxy_configs').where('id', '=', id).execute();
}

/** By the hash of its key, or of the key before the last reset until that expires. */
export async function findRelayProxyConfigByHash(
  db: Db,
  hash: string,
  now: number,
): Promise<RelayProxyConfig | undefined> {
  const row = await db
    .selectFrom('relay_proxy_configs')
    .selectAll()
    .where((eb) =>
      eb.or([eb('hash', '=', hash), eb.and([eb('old_hash', '=', hash), eb('old_until', '>', now)])]),
    )
    .executeTakeFirst();
  return row && configOf(row);
}

/** The only row of its table. */
const REVISION_ID = 1;

/** The channel on which nodes are notified of a new revision. */
export const RELAY = 'flags-relay';

/** Held until the commit, so that revisions rise in the order of commits. */
export const raiseRelayRevision = buildOnce((db) =>
  db
    .insertInto('relay_revisions')
    .values({ id: REVISION_ID, revision: 1 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({ revision: eb('relay_revisions.revision', '+', 1) })),
    ),
);

export async function findRelayRevision(db: Db): Promise<number> {
  const row = await db.selectFrom('relay_revisions').select('revision').executeTakeFirst();
  return row?.revision ?? 0;
}

/** The revision is read first, so that a change in between has a higher one. */
export async function readRelayState(db: Db, now: number): Promise<RelayState> {
  const revision = await findRelayRevision(db);
  const configs = await listRelayProxyConfigs(db);
  const ids = (await db.selectFrom('projects').select('id').orderBy('id').execute()).map(({ id }) => id);
  const projects = new Map((await findProjects(db, ids)).map((project) => [project.id, project]));
  const environments = await listEnvironmentsOfProjects(db, ids);
  return {
    revision,
    configs,
    environments: environments.flatMap((environment) => {
      const project = projects.get(environment.projectId);
      return project === undefined ? [] : toRelayEnvironment(project, environment, now);
    }),
  };
}

function rowOf(config: RelayProxyConfig): RelayProxyConfigRow {
  return {
    id: config.id,
    name: config.name,
    policy: JSON.stringify(config.policy),
    creator_id: config.creatorId,
    hash: config.hash,
    ending: config.ending,
    old_hash: config.oldHash ?? null,
    old_until: config.oldUntil ?? null,
    version: config.version,
    created_at: config.createdAt,
    modified_at: config.modifiedAt,
  };
}

function configOf(row: RelayProxyConfigRow): RelayProxyConfig {
  return {
    id: row.id,
    name: row.name,
    policy: JSON.parse(row.policy) as PolicyStatement[],
    creatorId: row.creator_id,
    hash: row.hash,
    ending: row.ending,
    ...(row.old_hash !== null && { oldHash: row.old_hash }),
    ...(row.old_until !== null && { oldUntil: row.old_until }),
    version: row.version,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  };
}
