// The usage of flags in the database: when SDKs last requested them.
import type { Db } from '../../kernel/storage/tables.ts';
import type { StatusFacts, FlagUsage } from './status.ts';
import type { FlagUsageRow } from './tables.ts';

/** By the id of the environment. */
export async function findFlagUsage(db: Db, flagId: string): Promise<Map<string, FlagUsage>> {
  const rows = await db.selectFrom('flag_usage').selectAll().where('flag_id', '=', flagId).execute();
  return new Map(rows.map((row) => [row.environment_id, usageOf(row)]));
}

function usageOf(row: Pick<FlagUsageRow, 'last_requested_at' | 'last_default'>): FlagUsage {
  return { lastRequestedAt: row.last_requested_at, lastDefault: row.last_default };
}

export interface UsedFlag extends Omit<StatusFacts, 'isUniform'> {
  id: string;
  key: string;
  usage?: FlagUsage;
}

/** All flags that are not archived, with their usage in the environment, sorted by key. */
export async function listFlagUsage(db: Db, projectId: string, environmentId: string): Promise<UsedFlag[]> {
  const rows = await db
    .selectFrom('flags')
    .innerJoin('flag_configs', (join) =>
      join
        .onRef('flag_configs.flag_id', '=', 'flags.id')
        .on('flag_configs.environment_id', '=', environmentId),
    )
    .leftJoin('flag_usage', (join) =>
      join.onRef('flag_usage.flag_id', '=', 'flags.id').on('flag_usage.environment_id', '=', environmentId),
    )
    .where('flags.project_id', '=', projectId)
    .where('flags.state', 'in', ['live', 'deprecated'])
    .select([
      'flags.id',
      'flags.key',
      'flags.created_at',
      'flag_configs.is_on',
      'flag_configs.modified_at',
      'flag_usage.last_requested_at',
      'flag_usage.last_default',
    ])
    .orderBy('flags.key')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    createdAt: row.created_at,
    on: row.is_on === 1,
    modifiedAt: row.modified_at,
    ...(row.last_requested_at !== null && {
      usage: usageOf({ ...row, last_requested_at: row.last_requested_at }),
    }),
  }));
}
