// Deletes the folders of sources and dependencies that are no longer used on this node, and blobs that no build refers to.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecurringWork } from '../../kernel/dialect.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { BlobStore } from '../../kernel/storage/blob.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { inBatches } from '../../kernel/batches.ts';
import { SOURCE_BLOB_PREFIX } from './build-folders.ts';
import { listReferencedDependencies, listReferencedSources, listUsedByRuns } from './store.ts';
import { BUILD_FOLDERS, DEPENDENCIES, lastUseOf, NPM_CACHES, removeFolder, SOURCES } from './work-folders.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
/** A folder that a build still needs is made again when it is asked for. */
const UNUSED_MS = 14 * DAY;
/** A folder is made before the row that refers to it, and a build lasts at most half an hour. */
const YOUNG_MS = 2 * HOUR;

/** Of this node alone: each has folders of its own. */
export async function sweepFolders(kernel: Kernel): Promise<void> {
  const { db, clock, settings } = kernel;
  const { work } = settings.execution;
  const now = clock.now();
  const used = await listUsedByRuns(db);
  await sweep(join(work, SOURCES), now, used.sources, (hashes) => listReferencedSources(db, hashes));
  await sweep(join(work, DEPENDENCIES), now, used.dependencies, (keys) =>
    listReferencedDependencies(db, keys),
  );
  // What dead builds and interrupted removals have left behind, and caches.
  for (const [name, age] of [
    [BUILD_FOLDERS, DAY],
    [NPM_CACHES, UNUSED_MS],
  ] as const) {
    for (const folder of await foldersIn(join(work, name))) {
      if (await isOlder(folder, now - age)) await removeFolder(folder);
    }
  }
}

async function sweep(
  parent: string,
  now: number,
  used: ReadonlySet<string>,
  listReferenced: (keys: string[]) => Promise<Set<string>>,
): Promise<void> {
  const folders = await foldersIn(parent);
  for (const some of inBatches(folders)) {
    const referenced = await listReferenced(some.map(keyOf));
    for (const folder of some) {
      const key = keyOf(folder);
      if (used.has(key)) continue;
      const age = referenced.has(key) ? UNUSED_MS : YOUNG_MS;
      if (await isOlder(folder, now - age)) await removeFolder(folder);
    }
  }
}

/** The name of a folder of dependencies goes on with the version of Node and the platform. */
function keyOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('/') + 1).split('-')[0]!;
}

async function foldersIn(parent: string): Promise<string[]> {
  const names = await readdir(parent).catch(() => []);
  return names.map((name) => join(parent, name));
}

async function isOlder(folder: string, than: number): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  return stats?.isDirectory() === true && ((await lastUseOf(folder)) ?? than) < than;
}

export function sourceBlobSweep(kernel: Kernel): RecurringWork {
  return { kind: 'builds.orphans', everyMs: DAY, run: (signal) => sweepBlobs(kernel, signal) };
}

async function sweepBlobs({ db, blobs, clock, log }: Kernel, signal: AbortSignal): Promise<void> {
  let count = 0;
  for await (const orphan of findOrphanedSources(db, blobs, clock.now())) {
    signal.throwIfAborted();
    await blobs.delete(orphan);
    count += 1;
  }
  if (count > 0) log.info({ count }, 'deleted sources that no build refers to');
}

/** Keys of blobs that no build refers to, and that no build in progress will refer to. */
export async function* findOrphanedSources(db: Db, blobs: BlobStore, now: number): AsyncGenerator<string> {
  let batch: string[] = [];
  for await (const { key, modifiedAt } of blobs.list(SOURCE_BLOB_PREFIX)) {
    if (modifiedAt > now - YOUNG_MS) continue;
    batch.push(key);
    if (batch.length < 200) continue;
    yield* unreferenced(db, batch);
    batch = [];
  }
  yield* unreferenced(db, batch);
}

async function* unreferenced(db: Db, keys: string[]): AsyncGenerator<string> {
  const referenced = await listReferencedSources(
    db,
    keys.map((key) => key.slice(SOURCE_BLOB_PREFIX.length)),
  );
  yield* keys.filter((key) => !referenced.has(key.slice(SOURCE_BLOB_PREFIX.length)));
}
