// Creates the Actors of the library, and brings them up to date after a new release, at every start of a server.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { newId } from '../../kernel/id.ts';
import { LIBRARY_ID } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { saveStoreEntry } from '../actor-store/store-entries.ts';
import { changeOf } from '../actors/change-actor.ts';
import type { Actor } from '../actors/model.ts';
import { findTaggedBuild, setTag } from '../actors/store-tags.ts';
import { findVersion, findVersionTotals, insertVersion, updateVersion } from '../actors/store-versions.ts';
import { findActorByName, insertActor, takeBuildNumber, updateActor } from '../actors/store.ts';
import type { ActorVersion } from '../actors/version.ts';
import { deleteBuildRows } from '../builds/change-build.ts';
import { BUILD_MEMORY_MBYTES, type Build } from '../builds/model.ts';
import { insertBuild, isBuildUsed, tryLockBuild } from '../builds/store.ts';
import { readLibrary, type LibraryActor } from './library-actors.ts';
import { listCurrentBuilds } from './store.ts';

const TAG = 'latest';

export async function ensureLibrary(tx: ChangeTransaction): Promise<void> {
  const library = await readLibrary();
  const current = await listCurrentBuilds(tx.db, LIBRARY_ID, TAG);
  for (const own of library) {
    const known = current.get(own.fields.name);
    const isCurrent = known?.sources === own.build.sources && known.dependencies === own.build.dependencies;
    if (!isCurrent) await install(tx, own);
  }
}

/** The build is complete except for its packages, which the first run on a node installs there. */
async function install(tx: ChangeTransaction, own: LibraryActor): Promise<void> {
  const { db, actor } = tx;
  const { now } = actor;
  const known = await findActorByName(db, LIBRARY_ID, own.fields.name);
  const older = known && (await findTaggedBuild(db, known.id, TAG));
  const installed =
    known === undefined
      ? await insertActor(db, LIBRARY_ID, own.fields, now)
      : await updateActor(db, known.id, own.fields, now);
  await saveVersion(db, installed, own, now);
  const build = await newBuild(db, installed, own, now);
  await insertBuild(db, build);
  await setTag(db, installed.id, TAG, build.id);
  if (older !== undefined) await removeUnused(db, older, now);
  await saveStoreEntry(db, installed);
  const { name, title, description } = own.fields;
  tx.record({
    ...changeOf(
      known === undefined ? 'createActor' : 'updateActor',
      known === undefined ? 'created' : 'updated',
      installed,
    ),
    after: { id: installed.id, name, title, description, version: own.version },
  });
}

/**
 * One that is locked is kept, because a run is being started with it. Waiting for that start could be a deadlock: it waits for
 * the Actor, which this transaction has locked.
 */
async function removeUnused(tx: Db, id: string, now: number): Promise<void> {
  const build = await tryLockBuild(tx, id);
  if (build !== undefined && !(await isBuildUsed(tx, id))) await deleteBuildRows(tx, id, now);
}

async function saveVersion(
  tx: Db,
  { id: actorId }: Actor,
  { version, source }: LibraryActor,
  now: number,
): Promise<void> {
  const before = await findVersion(tx, actorId, version);
  const after: ActorVersion = {
    actorId,
    number: version,
    sourceType: 'SOURCE_FILES',
    source,
    buildTag: TAG,
    envVars: [],
    appliesEnvVarsToBuild: false,
    buildsOnPush: false,
    createdAt: before?.createdAt ?? now,
  };
  if (before === undefined) await insertVersion(tx, after, (await findVersionTotals(tx, actorId)).next);
  else await updateVersion(tx, after);
}

async function newBuild(
  tx: Db,
  { id: actorId }: Actor,
  { version, source, build }: LibraryActor,
  now: number,
): Promise<Build> {
  return {
    id: newId(now),
    actorId,
    userId: LIBRARY_ID,
    versionNumber: version,
    buildNumber: `${version}.${await takeBuildNumber(tx, actorId, version)}`,
    sourceType: 'SOURCE_FILES',
    commit: null,
    tag: TAG,
    status: 'SUCCEEDED',
    statusMessage: 'It came with the server.',
    exitCode: 0,
    meta: { origin: 'DEVELOPMENT', initiator: { memberId: LIBRARY_ID } },
    options: { memoryMbytes: BUILD_MEMORY_MBYTES, diskMbytes: 2 * BUILD_MEMORY_MBYTES },
    stats: { runTimeMs: 0, sourceBytes: Buffer.byteLength(source) },
    startedAt: now,
    finishedAt: now,
    ...build,
  };
}
