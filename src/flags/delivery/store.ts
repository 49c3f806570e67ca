// Reads flags, the revision and big-segment memberships for delivery to SDKs.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import type { FlagData } from '../evaluation/data.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { fromConfigRow, fromFlagRow } from '../feature-flags/store-rows.ts';
import type { Environment } from '../projects/project.ts';
import { toFlagData } from './sdk-data.ts';

type EnvironmentIds = Pick<Environment, 'id' | 'projectId'>;

/**
 * A number that rises with every change of a flag in the project or a segment in the environment: the sum of their
 * versions, where deleted ones count with the version they left behind. Each concurrent change adds its own part when
 * it commits, so that none is missed.
 */
export async function findRevision(db: Db, { id, projectId }: EnvironmentIds): Promise<number> {
  const { rows } = await sql<{ revision: number | string }>`
    select
      (select coalesce(sum(version), 0) from flags where project_id = ${projectId}) +
      (select coalesce(sum(version), 0) from flag_graves where project_id = ${projectId} and not exists (
        select 1 from flags where flags.project_id = flag_graves.project_id and flags.key = flag_graves.key)) +
      (select coalesce(sum(version), 0) from segments where environment_id = ${id}) +
      (select coalesce(sum(version), 0) from segment_graves where environment_id = ${id} and not exists (
        select 1 from segments
        where segments.environment_id = segment_graves.environment_id and segments.key = segment_graves.key))
      as revision`.execute(db);
  return Number(rows[0]!.revision);
}

/** The fields by which people know a flag. */
export type FlagName = Pick<Flag, 'key' | 'name' | 'tags' | 'createdAt'>;

/** Flags that are not archived, sorted by key. */
export async function listFlagData(
  db: Db,
  { id, projectId }: EnvironmentIds,
): Promise<{ name: FlagName; data: FlagData }[]> {
  const rows = await db
    .selectFrom('flags')
    .innerJoin('flag_configs', 'flag_configs.flag_id', 'flags.id')
    .where('flags.project_id', '=', projectId)
    .where('flag_configs.environment_id', '=', id)
    .where('flags.state', '!=', 'archived')
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
    if (slice.isOver) await slice.next();
  }
  return listed;
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
