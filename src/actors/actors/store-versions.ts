// The versions of Actors in the database.
import type { Selectable } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { VersionRow } from './tables.ts';
import { repositoryKeyOf, type ActorVersion, type EnvVar, type SourceType } from './version.ts';

export async function findVersion(
  db: Db,
  actorId: string,
  number: string,
): Promise<ActorVersion | undefined> {
  const row = await db
    .selectFrom('actor_versions')
    .selectAll()
    .where('actor_id', '=', actorId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row && versionFrom(row);
}

/** Those that a push to a repository with one of these names, in lower case, may concern. */
export async function listVersionsBuiltOnPush(db: Db, names: readonly string[]): Promise<ActorVersion[]> {
  const rows = await db
    .selectFrom('actor_versions')
    .select([...COLUMNS, 'source'])
    .where('pushed_repository', 'in', names)
    .execute();
  return rows.map(versionFrom);
}

/** A version of an Actor of one's own that is built from a git repository, as far as lists of them say. */
interface GitVersion {
  actor: { id: string; name: string; title: string | null; lastRunStartedAt: number };
  version: ActorVersion;
}

/** Those whose Actors ran last come first. */
export async function listGitVersions(db: Db, userId: string, max: number): Promise<GitVersion[]> {
  const rows = await db
    .selectFrom('actors')
    .innerJoin('actor_versions', 'actor_versions.actor_id', 'actors.id')
    .select(['actors.id', 'actors.name', 'actors.title', 'actors.last_run_started_at'])
    .select([...VERSION_COLUMNS, 'actor_versions.source'])
    .where('actors.user_id', '=', userId)
    .where('actor_versions.source_type', '=', 'GIT_REPO')
    .orderBy('actors.last_run_started_at', 'desc')
    .orderBy('actors.id', 'desc')
    .orderBy('actor_versions.position')
    .limit(max)
    .execute();
  return rows.map(({ id, name, title, last_run_started_at: lastRunStartedAt, ...row }) => ({
    actor: { id, name, title, lastRunStartedAt },
    version: versionFrom(row),
  }));
}

/** Without sources where they are not shown: they may have megabytes. */
export async function listVersions(
  db: Db,
  actorId: string,
  without?: 'without sources',
): Promise<ActorVersion[]> {
  const rows = await db
    .selectFrom('actor_versions')
    .select(COLUMNS)
    .$if(without === undefined, (query) => query.select('source'))
    .where('actor_id', '=', actorId)
    .orderBy('position')
    .execute();
  return rows.map((row) => versionFrom({ ...row, source: row.source ?? '{}' }));
}

const COLUMNS = [
  'actor_id',
  'number',
  'source_type',
  'build_tag',
  'env_vars',
  'applies_env_vars_to_build',
  'builds_on_push',
  'boundary_id',
  'created_at',
] as const;
const VERSION_COLUMNS = COLUMNS.map((name) => `actor_versions.${name}` as const);

export interface VersionTotals {
  count: number;
  sourceBytes: number;
  /** The position of the next one. */
  next: number;
}

export async function findVersionTotals(db: Db, actorId: string): Promise<VersionTotals> {
  const row = await db
    .selectFrom('actor_versions')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | null>('source_bytes').as('bytes'),
      fn.max<number | null>('position').as('last'),
    ])
    .where('actor_id', '=', actorId)
    .executeTakeFirstOrThrow();
  return { count: row.count, sourceBytes: row.bytes ?? 0, next: (row.last ?? 0) + 1 };
}

/** The caller holds the lock of the Actor. */
export async function insertVersion(tx: Db, version: ActorVersion, position: number): Promise<void> {
  await tx
    .insertInto('actor_versions')
    .values({
      actor_id: version.actorId,
      number: version.number,
      ...rowOf(version),
      position,
      created_at: version.createdAt,
    })
    .execute();
}

export async function updateVersion(tx: Db, version: ActorVersion): Promise<void> {
  await tx
    .updateTable('actor_versions')
    .set(rowOf(version))
    .where('actor_id', '=', version.actorId)
    .where('number', '=', version.number)
    .execute();
}

export async function deleteVersion(tx: Db, actorId: string, number: string): Promise<void> {
  await tx
    .deleteFrom('actor_versions')
    .where('actor_id', '=', actorId)
    .where('number', '=', number)
    .execute();
}

function rowOf(version: ActorVersion) {
  return {
    source_type: version.sourceType,
    source: version.source,
    source_bytes: Buffer.byteLength(version.source),
    build_tag: version.buildTag,
    env_vars: JSON.stringify(version.envVars),
    applies_env_vars_to_build: version.appliesEnvVarsToBuild ? 1 : 0,
    builds_on_push: version.buildsOnPush ? 1 : 0,
    pushed_repository: version.buildsOnPush ? repositoryKeyOf(version) : null,
    boundary_id: version.boundary ?? null,
  };
}

function versionFrom(row: Pick<Selectable<VersionRow>, (typeof COLUMNS)[number] | 'source'>): ActorVersion {
  return {
    actorId: row.actor_id,
    number: row.number,
    sourceType: row.source_type as SourceType,
    source: row.source,
    buildTag: row.build_tag,
    envVars: JSON.parse(row.env_vars) as EnvVar[],
    appliesEnvVarsToBuild: row.applies_env_vars_to_build === 1,
    buildsOnPush: row.builds_on_push === 1,
    ...(row.boundary_id !== null && { boundary: row.boundary_id }),
    createdAt: row.created_at,
  };
}
