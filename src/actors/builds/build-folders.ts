// The folders of sources and dependencies on this node: made once, however many runs ask at the same time.
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip } from '../../kernel/network/streams.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { storeLibrarySources } from '../library/library-sources.ts';
import { unpackTar } from '../sources/unpack.ts';
import { removeTree } from '../runner/remove-tree.ts';
import { openToolchain, type Toolchain } from './toolchain.ts';
import { makeTemporaryFolder, makeWorkFolder, moveIntoPlace, SOURCES, touchFolder } from './work-folders.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    buildFolders: BuildFolders;
  }
}

export const SOURCE_BLOB_PREFIX = 'actor-sources/';

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
  for await (const chunk of chunks) {
    digest.update(chunk);
    yield chunk;
  }
}
