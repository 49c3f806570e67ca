// What builds use of their versions, in the database.
import type { Db } from '../../kernel/storage/tables.ts';
import type { ActorVersion, EnvVar } from '../actors/version.ts';
import type { Build, BuildShort } from './model.ts';
import { goodBuilds, SHORT_COLUMNS, shortOf } from './store.ts';

/** What a build uses of its version, as it was when the build was started: the version may change, or be deleted, before a node executes it. */
interface VersionSnapshot {
  /** A `VersionSource` as JSON. It may have megabytes, so only the last good build of a version keeps it; null for other finished ones. */
  source: string | null;
  /** Those that apply to builds, sealed where they are secret. */
  envVars: readonly EnvVar[];
}

export async function insertSnapshot(
  tx: Db,
  buildId: string,
  { source, envVars, appliesEnvVarsToBuild }: ActorVersion,
): Promise<void> {
  await tx
    .insertInto('build_snapshots')
    .values({
      build_id: buildId,
      source,
      env_vars: JSON.stringify(appliesEnvVarsToBuild ? envVars : []),
    })
    .execute();
}

export async function findSnapshot(db: Db, buildId: string): Promise<VersionSnapshot | undefined> {
  const row = await db
    .selectFrom('build_snapshots')
    .select(['source', 'env_vars'])
    .where('build_id', '=', buildId)
    .executeTakeFirst();
  return row && { source: row.source, envVars: JSON.parse(row.env_vars) as EnvVar[] };
}

/** When the build has finished. The variables stay: a node that installs its packages again needs the same ones. */
export async function clearSnapshotSource(tx: Db, buildId: string): Promise<void> {
  await tx.updateTable('build_snapshots').set({ source: null }).where('build_id', '=', buildId).execute();
}

/** Only the last one has kept its source; more where several ended at once. */
const EARLIER = 10;

/** When a build has succeeded: what earlier ones of the version were made from is not compared with any more. */
export async function clearEarlierSources(
  tx: Db,
  build: Pick<Build, 'id' | 'actorId' | 'versionNumber'>,
): Promise<void> {
  const rows = await goodBuilds(tx, build).select('id').where('id', '!=', build.id).limit(EARLIER).execute();
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await tx.updateTable('build_snapshots').set({ source: null }).where('build_id', 'in', ids).execute();
}

interface BuiltSource {
  build: BuildShort;
  /** A `VersionSource` as JSON. */
  source: string;
}

/** Of the last good build of the version. Undefined where none has kept it, as builds of earlier releases have not. */
export async function findBuiltSource(
  db: Db,
  actorId: string,
  versionNumber: string,
): Promise<BuiltSource | undefined> {
  const row = await goodBuilds(db, { actorId, versionNumber })
    .innerJoin('build_snapshots', 'build_snapshots.build_id', 'builds.id')
    .select(SHORT_COLUMNS)
    .select('source')
    .where('source', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || row.source === null) return undefined;
  return { build: shortOf(row), source: row.source };
}
