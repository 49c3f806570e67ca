// What a build uses of its version, as it was when the build was started: the version may change, or be deleted, before a node executes it.
import type { Db } from '../../kernel/storage/tables.ts';
import type { ActorVersion, EnvVar } from '../actors/version.ts';

export interface VersionSnapshot {
  /** A `VersionSource` as JSON; null once the build has finished, as it may have megabytes. */
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
