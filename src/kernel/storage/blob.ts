// Blobs as files: written aside, synced, then renamed, so that a blob is either whole or not there.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, opendir, rename, stat, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { fold } from './fold.ts';

export interface BlobStore {
  /** Durable once resolved. When `data` fails, so does this, and the key keeps what it had. */
  put(key: string, data: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ size: number }>;
  get(key: string): Promise<Blob | undefined>;
  /** Also succeeds when there is nothing to delete. */
  delete(key: string): Promise<void>;
  /** In no order. */
  list(prefix?: string): AsyncIterable<string>;
}

/** A blob as it was when it was asked for, also if it is replaced or deleted meanwhile. */
export interface Blob {
  size: number;
  /** To be called once. Gives the blob back when it ends or is destroyed. */
  stream(): Readable;
  /** For who does not take the stream after all. */
  close(): Promise<void>;
}

/** A temporary file that nobody has written to for this long was left behind by a crash. */
const STALE_MS = 60 * 60 * 1000;

/**
 * A file is named by the hash of its key, as keys may be hostile (`../x`), too long for a name, or differ only in case.
 * Its first line is the key as JSON, so that `list` can tell it; the content follows.
 */
export async function openFileBlobs(folder: string, clock: Clock = systemClock): Promise<BlobStore> {
  const root = resolve(folder);
  const temporary = join(root, 'tmp');
  try {
    await mkdir(temporary, { recursive: true });
    await sweep(temporary, clock.now() - STALE_MS);
  } catch (error) {
    const advice = 'check that it can be written to by the user who runs this program';
    throw new Failure('unavailable', `Cannot use the blob folder ${root}: ${String(error)}; ${advice}.`, {
      cause: error,
    });
  }

  return {
    async put(key, data) {
      const file = join(temporary, randomUUID());
      try {
        const size = await write(file, key, data);
        await moveIntoPlace(file, pathOf(root, key));
        return { size };
      } catch (error) {
        await unlink(file).catch(() => {});
        throw fold(error);
      }
    },

    async get(key) {
      const handle = await openIfExists(pathOf(root, key));
      return handle && (await blobOf(handle));
    },

    async delete(key) {
      const file = pathOf(root, key);
      try {
        await unlink(file);
        await syncFolder(dirname(file));
      } catch (error) {
        if (!isMissing(error)) throw fold(error);
      }
    },

    async *list(prefix = '') {
      for await (const shard of await opendir(root)) {
        if (shard.name === 'tmp' || !shard.isDirectory()) continue;
        for await (const entry of await opendir(join(root, shard.name))) {
          const handle = await openIfExists(join(root, shard.name, entry.name));
          if (!handle) continue;
          const { key } = await readHeader(handle).finally(() => handle.close());
          if (key.startsWith(prefix)) yield key;
        }
      }
    },
  };
}

function pathOf(root: string, key: string): string {
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  return join(root, hash.slice(0, 2), hash.slice(2));
}
