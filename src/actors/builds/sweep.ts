// Deletes the folders of sources and dependencies that are no longer used on this node.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kernel } from '../../kernel/kernel.ts';
import type { BlobKind } from '../../kernel/storage/blobs/orphan-blobs.ts';
import { chunk } from '../../kernel/collections/chunk.ts';
import { SOURCE_BLOB_PREFIX, sourceBlobOf } from './build-folders.ts';
import { listReferencedDependencies, listReferencedSources, listUsedByRuns } from './store.ts';
import { BUILD_FOLDERS, DEPENDENCIES, lastUseOf, NPM_CACHES, removeFolder, SOURCES } from './work-folders.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
/** A folder that a build still needs is made again when it is asked for. */
const UNUSED_MS = 14 * DAY;
/** A folder is made before the row that refers to it, and a build lasts at most half an hour. */
const YOUNG_MS = 2 * HOUR;
const SWEEP_MS = 6 * HOUR;

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
  for (const some of chunk(folders)) {
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

/** The archives of built sources. */
export const sourceBlobs: BlobKind = {
  prefix: SOURCE_BLOB_PREFIX,
  migration: 'actors-builds',
  async listReferenced(db, keys) {
    const hashes = keys.map((key) => key.slice(SOURCE_BLOB_PREFIX.length));
    const referenced = await listReferencedSources(db, hashes);
    return new Set([...referenced].map(sourceBlobOf));
  },
};

/** Now and then, as long as this server executes builds and runs. */
export function startSweeping(kernel: Kernel): { stop(): Promise<void> } {
  let sweeping: Promise<void> | undefined;
  const sweepNow = (): void => {
    sweeping ??= sweepFolders(kernel)
      .catch((error: unknown) => kernel.log.warn({ err: error }, 'cannot sweep the folders of builds'))
      .finally(() => (sweeping = undefined));
  };
  const timer = setInterval(sweepNow, SWEEP_MS).unref();
  sweepNow();
  return {
    async stop() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
