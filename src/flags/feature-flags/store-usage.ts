// The usage of flags in the database: when SDKs last requested them.
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import { onOneConnection } from '../../kernel/storage/one-connection.ts';
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

export interface UsedFlag extends StatusFacts {
  id: string;
  key: string;
  /** Where it is absent, its configuration was not read, as no status depends on it: it counts as off. */
  usage: FlagUsage | undefined;
}

/** All flags that are not archived, with their usage in the environment, sorted by key. None counts as uniform yet. */
export async function listFlagUsage(db: Db, projectId: string, environmentId: string): Promise<UsedFlag[]> {
  const [flags, used] = await onOneConnection(db, (one) =>
    awaitAll([
      one
        .selectFrom('flags')
        .where('project_id', '=', projectId)
        .where('state', 'in', ['live', 'deprecated'])
        .select(['id', 'key', 'created_at'])
        .orderBy('key')
        .execute(),
      one
        .selectFrom('flag_usage')
        .innerJoin('flag_configs', (join) =>
          join
            .onRef('flag_configs.flag_id', '=', 'flag_usage.flag_id')
            .onRef('flag_configs.environment_id', '=', 'flag_usage.environment_id'),
        )
        .where('flag_usage.environment_id', '=', environmentId)
        .select([
          'flag_usage.flag_id',
          'flag_usage.last_requested_at',
          'flag_usage.last_default',
          'flag_configs.is_on',
          'flag_configs.modified_at',
        ])
        .execute(),
    ]),
  );
  const usages = new Map(used.map((row) => [row.flag_id, row]));
  return flags.map(({ id, key, created_at: createdAt }) => {
    const row = usages.get(id);
    return {
      id,
      key,
      createdAt,
      on: row?.is_on === 1,
      modifiedAt: row?.modified_at ?? createdAt,
      isUniform: false,
      usage: row && usageOf(row),
    };
  });
}
