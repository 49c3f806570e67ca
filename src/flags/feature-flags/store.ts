// Reads of flags from the database, with their configurations.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { BaseRole } from '../../kernel/identity/policy.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { lockRows } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { couldBeKey } from '../fields.ts';
import type { Environment } from '../projects/project.ts';
import type { Flag } from './flag.ts';
import { fromConfigRow, fromFlagRow } from './store-rows.ts';

/** A flag with its environments and its maintainer, as far as replies show them. */
export interface FlagRecord {
  /** Its short number, for indexes of tags. */
  no: number;
  flag: Flag;
  /** In order of creation. */
  environments: EnvironmentRef[];
  maintainer?: Maintainer | undefined;
  /** The name of the team that maintains it. */
  teamName?: string | undefined;
}

export type EnvironmentRef = Pick<Environment, 'id' | 'key' | 'name'>;

export interface Maintainer {
  id: string;
  role: BaseRole;
  email: string;
  firstName: string | null;
  lastName: string | null;
}

export function newHex(): string {
  return randomBytes(16).toString('hex');
}

/** With the configurations in all environments, or in the given ones. One statement, so that all rows are of one snapshot. */
export async function findFlag(
  db: Db,
  projectId: string,
  key: string,
  environmentKeys?: readonly string[],
): Promise<FlagRecord | undefined> {
  if (!couldBeKey(key)) return undefined;
  const rows =
    environmentKeys === undefined
      ? (await db.executeQuery(selectAllRows(db, projectId, key))).rows
      : await selectRows(db, projectId, key, environmentKeys.filter(couldBeKey)).execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const environments: EnvironmentRef[] = [];
  const configs: Flag['environments'] = {};
  const slice = new TimeSlice();
  for (const row of rows) {
    if (slice.isOver) await slice.yieldToEventLoop();
    if (row.environment_id === null || row.config_doc === null) continue;
    environments.push({ id: row.environment_id, key: row.environment_key!, name: row.environment_name! });
    configs[row.environment_key!] = fromConfigRow({
      is_on: row.is_on!,
      version: row.config_version!,
      modified_at: row.modified_at!,
      doc: row.config_doc,
    });
  }
  return {
    no: first.no,
    flag: fromFlagRow(first, configs),
    environments,
    ...(first.member_id !== null && {
      maintainer: {
        id: first.member_id,
        role: first.role as BaseRole,
        email: first.email!,
        firstName: first.first_name,
        lastName: first.last_name,
      },
    }),
    ...(first.team_name !== null && { teamName: first.team_name }),
  };
}

function selectRows(db: Db, projectId: string, key: string, environmentKeys?: readonly string[]) {
  return db
    .selectFrom('flags')
    .leftJoin('environments', (join) =>
      join
        .onRef('environments.project_id', '=', 'flags.project_id')
        .$call((on) =>
          environmentKeys === undefined ? on : on.on('environments.key', 'in', ['', ...environmentKeys]),
        ),
    )
    .leftJoin('flag_configs', (join) =>
      join
        .onRef('flag_configs.flag_id', '=', 'flags.id')
        .onRef('flag_configs.environment_id', '=', 'environments.id'),
    )
    .leftJoin('members', 'members.id', 'flags.maintainer_id')
    .leftJoin('teams', 'teams.key', 'flags.maintainer_team')
    .where('flags.project_id', '=', projectId)
    .where('flags.key', '=', key)
    .select([
      'flags.no',
      'flags.id',
      'flags.project_id',
      'flags.key',
      'flags.name',
      'flags.words',
      'flags.tags',
      'flags.is_temporary',
      'flags.state',
      'flags.availability',
      'flags.maintainer_id',
      'flags.maintainer_team',
      'flags.version',
      'flags.created_at',
      // The document may be large, so only the first row carries it.
      sql<string>`case when row_number() over (order by environments.created_at, environments.key) = 1
        then flags.doc else '' end`.as('doc'),
      'environments.id as environment_id',
      'environments.key as environment_key',
      'environments.name as environment_name',
      'flag_configs.is_on',
      'flag_configs.version as config_version',
      'flag_configs.modified_at',
      'flag_configs.doc as config_doc',
      'members.id as member_id',
      'members.role',
      'members.email',
      'members.first_name',
      'members.last_name',
      'teams.name as team_name',
    ])
    .orderBy('environments.created_at')
    .orderBy('environments.key');
}

const selectAllRows = buildOnce((db, projectId: string, key: string) => selectRows(db, projectId, key));

/** Locks the row of the flag until the transaction ends. Returns its version on engines with row locks, else undefined. */
export async function lockFlag(
  tx: Db,
  projectId: string,
  key: string,
): Promise<{ version: number }[] | undefined> {
  if (!couldBeKey(key)) return undefined;
  return await lockRows(
    tx,
    tx
      .selectFrom('flags')
      .select('version')
      .where('project_id', '=', projectId)
      .where('key', '=', key)
      // Rows of other tables may still reference it.
      .forNoKeyUpdate(),
  );
}

/** The keys to these ids. Undefined when the flag or the environment is deleted. */
export async function findKeysOfIds(db: Db, flagId: string, environmentId: string) {
  return await db
    .selectFrom('flags')
    .innerJoin('projects', 'projects.id', 'flags.project_id')
    .innerJoin('environments', 'environments.project_id', 'flags.project_id')
    .where('flags.id', '=', flagId)
    .where('environments.id', '=', environmentId)
    .select(['flags.key as flag', 'projects.key as project', 'environments.key as environment'])
    .executeTakeFirst();
}

/** Without configurations. */
export async function findFlagsById(db: Db, ids: readonly string[]): Promise<Flag[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('flags').selectAll().where('id', 'in', ids).execute();
  return rows.map((row) => fromFlagRow(row));
}

/** The version of a new flag of this key: above that of a deleted one, because SDKs ignore older versions. */
export async function firstVersion(db: Db, projectId: string, key: string): Promise<number> {
  const grave = await db
    .selectFrom('flag_graves')
    .select('version')
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
  return (grave?.version ?? 0) + 1;
}
