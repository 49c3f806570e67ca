// Flags in the database: found with their configurations, and given one in a new environment.
import { randomBytes } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import type { BaseRole } from '../../kernel/identity/policy.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { couldBeKey } from '../fields.ts';
import type { Environment, Project } from '../projects/project.ts';
import type { Flag } from './flag.ts';
import { newConfig } from './model.ts';
import { configOf, flagOf, toConfigRow } from './rows.ts';

/** A flag, and what is shown of the things around it. */
export interface FoundFlag {
  /** Its number in the database. */
  no: number;
  flag: Flag;
  /** In the order they were made. */
  environments: Place[];
  maintainer?: Maintainer | undefined;
  /** The name of the team that looks after it. */
  teamName?: string | undefined;
}

export type Place = Pick<Environment, 'id' | 'key' | 'name'>;

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

/** With the configurations in all environments, or in those that are named. One statement, so that all is of one moment. */
export async function findFlag(
  db: Db,
  projectId: string,
  key: string,
  environmentKeys?: readonly string[],
): Promise<FoundFlag | undefined> {
  if (!couldBeKey(key)) return undefined;
  const rows =
    environmentKeys === undefined
      ? (await db.executeQuery(selectAllRows(db, projectId, key))).rows
      : await selectRows(db, projectId, key, environmentKeys.filter(couldBeKey)).execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const environments: Place[] = [];
  const configs: Flag['environments'] = {};
  for (const row of rows) {
    if (row.environment_id === null || row.config_doc === null) continue;
    environments.push({ id: row.environment_id, key: row.environment_key!, name: row.environment_name! });
    configs[row.environment_key!] = configOf({
      is_on: row.is_on!,
      version: row.config_version!,
      modified_at: row.modified_at!,
      doc: row.config_doc,
    });
  }
  return {
    no: first.no,
    flag: flagOf(first, configs),
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
      // Once is enough.
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

/** Keeps everyone else from changing the flag until the transaction ends, and tells its version. Only PostgreSQL needs it. */
export async function lockFlag(tx: Db, projectId: string, key: string): Promise<number | undefined> {
  if (!couldBeKey(key)) return undefined;
  const row = await tx
    .selectFrom('flags')
    .select('version')
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    // Others may go on pointing to it.
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.version;
}

/** By key, without configurations: for those who speak of their variations. */
export async function findFlags(
  db: Db,
  projectId: string,
  keys: readonly string[],
): Promise<Map<string, Flag>> {
  const asked = keys.filter(couldBeKey);
  if (asked.length === 0) return new Map();
  const rows = await db
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', 'in', asked)
    .execute();
  return new Map(rows.map((row) => [row.key, flagOf(row)]));
}

/** The version a new flag of this key begins with: above that of one that was deleted, as SDKs take nothing older. */
export async function firstVersion(db: Db, projectId: string, key: string): Promise<number> {
  const grave = await db
    .selectFrom('flag_graves')
    .select('version')
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
  return (grave?.version ?? 0) + 1;
}

const BITE = 500;

/**
 * Gives all flags of the project a configuration in a new environment: a copy of that in another one, or how flags begin.
 * Belongs into the transaction that makes the environment, and that holds the project.
 */
export async function addConfigs(
  tx: Db,
  project: Pick<Project, 'id'>,
  environment: Pick<Environment, 'id' | 'defaultTrackEvents'>,
  sourceEnvironmentId: string | undefined,
  now: number,
): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined;) {
    last =
      sourceEnvironmentId === undefined
        ? await addNewConfigs(tx, project.id, environment, last, now)
        : await copyConfigs(tx, sourceEnvironmentId, environment.id, last, now);
  }
}

/** Where the next bite begins, after a full one. */
function lastOf(names: readonly string[]): string | undefined {
  return names.length === BITE ? names.at(-1) : undefined;
}

async function addNewConfigs(
  tx: Db,
  projectId: string,
  { id: environmentId, defaultTrackEvents }: Pick<Environment, 'id' | 'defaultTrackEvents'>,
  after: string,
  now: number,
): Promise<string | undefined> {
  const rows: Selectable<Tables['flags']>[] = await tx
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '>', after)
    .orderBy('key')
    .limit(BITE)
    .execute();
  const configs = rows.map((row) => {
    const flag = flagOf(row);
    const config = newConfig({ ...flag, version: 1 }, { trackEvents: defaultTrackEvents }, newHex, now);
    return toConfigRow(flag.id, environmentId, config);
  });
  if (configs.length > 0) await tx.insertInto('flag_configs').values(configs).execute();
  return lastOf(rows.map(({ key }) => key));
}

async function copyConfigs(
  tx: Db,
  sourceId: string,
  targetId: string,
  after: string,
  now: number,
): Promise<string | undefined> {
  const source = tx
    .selectFrom('flag_configs')
    .where('environment_id', '=', sourceId)
    .where('flag_id', '>', after)
    .orderBy('flag_id')
    .limit(BITE);
  const ids = (await source.select('flag_id').execute()).map(({ flag_id }) => flag_id);
  const last = ids.at(-1);
  if (last === undefined) return undefined;
  await tx
    .insertInto('flag_configs')
    .columns(['flag_id', 'environment_id', 'is_on', 'version', 'modified_at', 'head', 'doc'])
    .expression(
      source.select(({ val, cast }) => [
        'flag_id',
        cast<string>(val(targetId), 'text').as('environment_id'),
        'is_on',
        cast<number>(val(1), 'integer').as('version'),
        cast<number>(val(now), 'bigint').as('modified_at'),
        'head',
        'doc',
      ]),
    )
    .execute();
  await tx
    .insertInto('flag_prerequisites')
    .columns(['flag_id', 'environment_id', 'needs_id', 'variation'])
    .expression((eb) =>
      eb
        .selectFrom('flag_prerequisites')
        .where('environment_id', '=', sourceId)
        .where('flag_id', '>', after)
        .where('flag_id', '<=', last)
        .select(({ val, cast }) => [
          'flag_id',
          cast<string>(val(targetId), 'text').as('environment_id'),
          'needs_id',
          'variation',
        ]),
    )
    .execute();
  await tx
    .insertInto('segment_uses')
    .columns(['environment_id', 'segment_key', 'flag_id'])
    .expression((eb) =>
      eb
        .selectFrom('segment_uses')
        .where('environment_id', '=', sourceId)
        .where('flag_id', '>', after)
        .where('flag_id', '<=', last)
        .select(({ val, cast }) => [
          cast<string>(val(targetId), 'text').as('environment_id'),
          'segment_key',
          'flag_id',
        ]),
    )
    .execute();
  return lastOf(ids);
}
