// Reads flags and big-segment memberships for delivery to SDKs.
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { FlagData } from '../evaluation/data.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { fromConfigRow, fromFlagRow } from '../feature-flags/store-rows.ts';
import type { Environment } from '../projects/project.ts';
import { toFlagData } from './feed/sdk-data.ts';

type EnvironmentIds = Pick<Environment, 'id' | 'projectId'>;

/** The fields by which people know a flag. */
export type FlagName = Pick<Flag, 'key' | 'name' | 'tags' | 'createdAt'>;

/** Flags that are not archived, sorted by key; with `keys`, only those. */
export async function listFlagData(
  db: Db,
  { id, projectId }: EnvironmentIds,
  keys?: readonly string[],
): Promise<{ name: FlagName; data: FlagData }[]> {
  const rows = await db
    .selectFrom('flags')
    .innerJoin('flag_configs', 'flag_configs.flag_id', 'flags.id')
    .where('flags.project_id', '=', projectId)
    .where('flag_configs.environment_id', '=', id)
    .where('flags.state', '!=', 'archived')
    .$if(keys !== undefined, (query) => query.where('flags.key', 'in', keys!))
    .selectAll('flags')
    .select([
      'flag_configs.is_on',
      'flag_configs.version as config_version',
      'flag_configs.modified_at',
      'flag_configs.doc as config_doc',
    ])
    .orderBy('flags.key')
    .execute();
  const slice = new TimeSlice();
  const listed: { name: FlagName; data: FlagData }[] = [];
  for (const { is_on, config_version, modified_at, config_doc, ...row } of rows) {
    const flag = fromFlagRow(row);
    const { key, name, tags, createdAt } = flag;
    const config = fromConfigRow({ is_on, version: config_version, modified_at, doc: config_doc });
    listed.push({ name: { key, name, tags, createdAt }, data: toFlagData(flag, config) });
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return listed;
}

/** The versions of flags that SDKs no longer get, because they are archived or deleted. */
export async function listGoneFlags(
  db: Db,
  { projectId }: EnvironmentIds,
  keys: readonly string[],
): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const [graves, archived] = await Promise.all([
    db
      .selectFrom('flag_graves')
      .select(['key', 'version'])
      .where('project_id', '=', projectId)
      .where('key', 'in', keys)
      .execute(),
    db
      .selectFrom('flags')
      .select(['key', 'version'])
      .where('project_id', '=', projectId)
      .where('key', 'in', keys)
      .where('state', '=', 'archived')
      .execute(),
  ]);
  // An archived flag may have been deleted and created again before: its own version is the newer one.
  return new Map([...graves, ...archived].map(({ key, version }) => [key, version]));
}

export async function listGoneSegments(
  db: Db,
  { id }: EnvironmentIds,
  keys: readonly string[],
): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const graves = await db
    .selectFrom('segment_graves')
    .select(['key', 'version'])
    .where('environment_id', '=', id)
    .where('key', 'in', keys)
    .execute();
  return new Map(graves.map(({ key, version }) => [key, version]));
}

export interface BigSegmentMembership {
  segmentId: string;
  contextKey: string;
  isIncluded: boolean;
}

/** Memberships of any of these contexts in any of these big segments. */
export async function listMemberships(
  db: Db,
  segmentIds: readonly string[],
  contextKeys: readonly string[],
): Promise<BigSegmentMembership[]> {
  const keys = contextKeys.filter((key) => !key.includes('\0')); // PostgreSQL fails on a NUL
  if (segmentIds.length === 0 || keys.length === 0) return [];
  const rows = await db
    .selectFrom('segment_members')
    .select(['segment_id', 'context_key', 'is_included'])
    .where('segment_id', 'in', segmentIds)
    .where('context_key', 'in', keys)
    .execute();
  return rows.map(({ segment_id, context_key, is_included }) => ({
    segmentId: segment_id,
    contextKey: context_key,
    isIncluded: is_included === 1,
  }));
}
