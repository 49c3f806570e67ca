// Builds in the database.
import type { Insertable, Selectable } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { SourceType } from '../actors/version.ts';
import { STATUS_CHANNELS, type JobStatus } from '../jobs/job.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import type { Build, BuildOptions, BuildRuntime, BuildShort, BuildStats } from './model.ts';
import type { BuildRow } from './tables.ts';

export async function insertBuild(tx: Db, build: Build): Promise<void> {
  await tx
    .insertInto('builds')
    .values({ ...rowOf(build), has_public_log: 1 })
    .execute();
}

/** Whether others may read what the build prints, if its Actor is public. */
export async function hasPublicLog(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('builds').select('has_public_log').where('id', '=', id).executeTakeFirst();
  return row?.has_public_log === 1;
}

const selectBuild = buildOnce((db, id: string) => db.selectFrom('builds').selectAll().where('id', '=', id));

export async function findBuild(db: Db, id: string): Promise<Build | undefined> {
  const { rows } = await db.executeQuery(selectBuild(db, id));
  return rows[0] && buildOf(rows[0]);
}

export async function findBuildByNumber(
  db: Db,
  actorId: string,
  buildNumber: string,
): Promise<Build | undefined> {
  const row = await db
    .selectFrom('builds')
    .selectAll()
    .where('actor_id', '=', actorId)
    .where('build_number', '=', buildNumber)
    .executeTakeFirst();
  return row && buildOf(row);
}

/** Null where the build has none, or does not exist. */
export async function findReadme(
  db: Db,
  by: { id: string } | { actorId: string; buildNumber: string },
): Promise<string | null> {
  const row = await db
    .selectFrom('builds')
    .select('readme')
    .where((eb) =>
      'id' in by
        ? eb('id', '=', by.id)
        : eb.and([eb('actor_id', '=', by.actorId), eb('build_number', '=', by.buildNumber)]),
    )
    .executeTakeFirst();
  return row?.readme ?? null;
}

/**
 * Until the transaction ends, the build is not deleted: retention locks it and then looks for runs. Throws where the build,
 * which was found before, is gone.
 */
export async function shareLockBuild(tx: Db, { id }: Pick<Build, 'id'>): Promise<void> {
  const { rows } = await tx.executeQuery(selectAndShareLock(tx, id));
  if (rows.length === 0) throw new Failure('conflict', 'The build was deleted meanwhile.');
}

const selectAndShareLock = buildOnce((db, id: string) =>
  db.selectFrom('builds').select('id').where('id', '=', id).forKeyShare(),
);

/** Locks the row until the transaction ends. */
export async function lockBuild(tx: Db, id: string): Promise<Build | undefined> {
  const row = await selectAndLock(tx, id).executeTakeFirst();
  return row && buildOf(row);
}

/** The same without waiting: undefined also where another transaction has locked the row, such as a start of a run. */
export async function tryLockBuild(tx: Db, id: string): Promise<Build | undefined> {
  const row = await selectAndLock(tx, id).skipLocked().executeTakeFirst();
  return row && buildOf(row);
}

function selectAndLock(tx: Db, id: string) {
  return tx.selectFrom('builds').selectAll().where('id', '=', id).forUpdate();
}

type BuildChanges = Partial<Omit<Build, 'id' | 'actorId' | 'userId' | 'meta' | 'options'>>;

export async function updateBuild(tx: Db, id: string, changes: BuildChanges): Promise<void> {
  await tx.updateTable('builds').set(columnsOf(changes)).where('id', '=', id).execute();
  if (changes.status !== undefined) await notifyOnCommit(tx, STATUS_CHANNELS.build, id);
}

export async function deleteBuild(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('builds').where('id', '=', id).execute();
  await notifyOnCommit(tx, STATUS_CHANNELS.build, id);
}

/** Whose builds. */
type BuildScope = { userId: string } | { actorId: string };

export const SHORT_COLUMNS = [
  'id',
  'actor_id',
  'user_id',
  'status',
  'started_at',
  'finished_at',
  'build_number',
  'meta',
] as const;

/** Without the large fields. */
export async function listBuilds(
  db: Db,
  scope: BuildScope,
  { offset, limit }: Slice,
  desc: boolean,
): Promise<{ items: BuildShort[]; total: number }> {
  const order = desc ? 'desc' : 'asc';
  const all = db.selectFrom('builds');
  const builds =
    'actorId' in scope ? all.where('actor_id', '=', scope.actorId) : all.where('user_id', '=', scope.userId);
  const rows = await builds
    .select(SHORT_COLUMNS)
    .orderBy('started_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await builds
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items: rows.map(shortOf), total };
}

/** The ids of an Actor's builds, a batch at a time. */
export async function listBuildIds(db: Db, actorId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('builds')
    .select('id')
    .where('actor_id', '=', actorId)
    .orderBy('started_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether a tag or a run names the build. */
export async function isBuildUsed(db: Db, id: string): Promise<boolean> {
  for (const table of ['actor_tags', 'runs'] as const) {
    const used = await db
      .selectFrom(table)
      .select('build_id')
      .where('build_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (used !== undefined) return true;
  }
  return false;
}

/** For an account that is deleted. */
export async function updateBuildOwner(tx: Db, from: string, to: string): Promise<void> {
  await tx.updateTable('builds').set({ user_id: to }).where('user_id', '=', from).execute();
}

function rowOf(build: Build): Insertable<BuildRow> {
  return {
    id: build.id,
    actor_id: build.actorId,
    user_id: build.userId,
    version_number: build.versionNumber,
    build_number: build.buildNumber,
    source_type: build.sourceType,
    tag: build.tag,
    status: build.status,
    status_message: build.statusMessage,
    exit_code: build.exitCode,
    meta: JSON.stringify(build.meta),
    boundary_id: build.meta.initiator.boundary ?? null,
    options: JSON.stringify(build.options),
    stats: JSON.stringify(build.stats),
    started_at: build.startedAt,
    finished_at: build.finishedAt,
    sources: build.sources,
    commit_oid: build.commit,
    dependencies: build.dependencies,
    runtime: build.runtime && JSON.stringify(build.runtime),
    definition: build.definition && JSON.stringify(build.definition),
    input_schema: build.inputSchema,
    readme: build.readme,
    changelog: build.changelog,
  };
}

function columnsOf(changes: BuildChanges): Partial<Insertable<BuildRow>> {
  const { stats, runtime, definition } = changes;
  const columns = {
    status: changes.status,
    status_message: changes.statusMessage,
    exit_code: changes.exitCode,
    finished_at: changes.finishedAt,
    sources: changes.sources,
    commit_oid: changes.commit,
    dependencies: changes.dependencies,
    input_schema: changes.inputSchema,
    readme: changes.readme,
    changelog: changes.changelog,
    stats: stats && JSON.stringify(stats),
    runtime: runtime && JSON.stringify(runtime),
    definition: definition && JSON.stringify(definition),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function buildOf(row: Selectable<BuildRow>): Build {
  return {
    ...shortOf(row),
    versionNumber: row.version_number,
    sourceType: row.source_type as SourceType,
    tag: row.tag,
    statusMessage: row.status_message,
    exitCode: row.exit_code,
    options: JSON.parse(row.options) as BuildOptions,
    stats: JSON.parse(row.stats) as BuildStats,
    sources: row.sources,
    commit: row.commit_oid,
    dependencies: row.dependencies,
    runtime: row.runtime === null ? null : (JSON.parse(row.runtime) as BuildRuntime),
    definition: row.definition === null ? null : (JSON.parse(row.definition) as Build['definition']),
    inputSchema: row.input_schema,
    readme: row.readme,
    changelog: row.changelog,
  };
}

type ShortRow = Pick<Selectable<BuildRow>, (typeof SHORT_COLUMNS)[number]>;

export function shortOf(row: ShortRow): BuildShort {
  return {
    id: row.id,
    actorId: row.actor_id,
    userId: row.user_id,
    status: row.status as JobStatus,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    buildNumber: row.build_number,
    meta: JSON.parse(row.meta) as JobMeta,
  };
}

/** Of a version, those that have succeeded, the newest first. */
export function goodBuilds(db: Db, { actorId, versionNumber }: Pick<Build, 'actorId' | 'versionNumber'>) {
  return db
    .selectFrom('builds')
    .where('actor_id', '=', actorId)
    .where('version_number', '=', versionNumber)
    .where('status', '=', 'SUCCEEDED')
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc');
}

/** The newest of the version that has succeeded and was started before this one. */
export async function findLastGoodBuild(
  db: Db,
  build: Pick<Build, 'actorId' | 'versionNumber' | 'startedAt' | 'id'>,
): Promise<BuildShort | undefined> {
  const { startedAt, id } = build;
  const row = await goodBuilds(db, build)
    .select(SHORT_COLUMNS)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('started_at', 'id'), '<', tuple(startedAt, id)))
    .limit(1)
    .executeTakeFirst();
  return row && shortOf(row);
}
