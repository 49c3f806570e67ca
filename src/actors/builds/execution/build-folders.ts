// The folders of sources and dependencies on this node: made once, however many runs ask at the same time, and deleted when they are no longer used.
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { lstat, readdir } from 'node:fs/promises';
import { createGunzip } from '../../../kernel/network/streams.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import type { BlobKind } from '../../../kernel/storage/blobs/orphan-blobs.ts';
import { chunk } from '../../../kernel/collections/chunk.ts';
import { storeLibrarySources } from '../../library/library-actors.ts';
import { unpackTar } from '../../sources/unpack.ts';
import { removeTree } from '../../runner/remove-tree.ts';
import { openToolchain, type Toolchain } from './toolchain.ts';
import {
  makeTemporaryFolder,
  makeWorkFolder,
  moveIntoPlace,
  SOURCES,
  touchFolder,
  BUILD_FOLDERS,
  DEPENDENCIES,
  lastUseOf,
  NPM_CACHES,
  removeFolder,
} from './work-folders.ts';
import { listReferencedDependencies, listReferencedSources, listUsedByRuns } from '../store-references.ts';

declare module '../../../kernel/kernel.ts' {
  interface Services {
    buildFolders: BuildFolders;
  }
}

const SOURCE_BLOB_PREFIX = 'actor-sources/';

export function sourceBlobOf(hash: string): string {
  return `${SOURCE_BLOB_PREFIX}${hash}`;
}

export class BuildFolders {
  readonly #work: string;
  readonly #making = new Map<string, Promise<string>>();
  #toolchain: Promise<Toolchain> | undefined;

  constructor(work: string) {
    this.#work = work;
  }

  toolchain(): Promise<Toolchain> {
    this.#toolchain ??= openToolchain(this.#work).catch((error: unknown) => {
      this.#toolchain = undefined;
      throw error;
    });
    return this.#toolchain;
  }

  /** The folder, or what `make` puts there. Those who ask meanwhile get the same. */
  async once(folder: string, now: number, make: () => Promise<void>): Promise<string> {
    if (await touchFolder(folder, now)) return folder;
    const known = this.#making.get(folder);
    if (known !== undefined) {
      // It may have failed because its own run was aborted.
      return await known.catch(() => this.once(folder, now, make));
    }
    const making = make()
      .then(() => folder)
      .finally(() => this.#making.delete(folder));
    this.#making.set(folder, making);
    return await making;
  }
}

/** The folder with the built sources of this hash, from the blob if this node does not have it. */
export async function ensureSources(kernel: Kernel, hash: string): Promise<string> {
  const { services, settings, clock, blobs } = kernel;
  const parent = await makeWorkFolder(settings.execution.work, SOURCES);
  const folder = join(parent, hash);
  return await services.buildFolders.once(folder, clock.now(), async () => {
    const key = sourceBlobOf(hash);
    let blob = await blobs.get(key);
    if (blob === undefined && (await storeLibrarySources(kernel, hash, key))) blob = await blobs.get(key);
    if (blob === undefined) throw new Error(`The built sources ${hash} are missing`);
    const temporary = await makeTemporaryFolder(parent, '.new');
    try {
      const digest = createHash('sha256');
      const plain = pipeline(blob.stream(), createGunzip(), () => undefined) as AsyncIterable<Uint8Array>;
      await unpackTar(hashing(plain, digest), temporary);
      if (digest.digest('hex') !== hash) throw new Error(`The built sources ${hash} are damaged`);
      await moveIntoPlace(temporary, folder);
      await touchFolder(folder, clock.now());
    } finally {
      await removeTree(temporary);
    }
  });
}

async function* hashing(
  chunks: AsyncIterable<Uint8Array>,
  digest: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array, void> {
  for await (const bytes of chunks) {
    digest.update(bytes);
    yield bytes;
  }
}

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
