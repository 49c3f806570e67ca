// Relay Proxy configurations in the database.
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findRow, updateRow } from '../store-rows.ts';
import type { RelayProxyConfig } from './model.ts';
import type { RelayProxyConfigRow } from './tables.ts';

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
