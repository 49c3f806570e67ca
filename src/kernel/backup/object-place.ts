// Where a backup has its objects: a folder, or a prefix of object storage, by names that are plain paths.
import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import type { BlobStore } from '../storage/blobs/blob.ts';
import { readFilePieces } from '../storage/disk/file-pieces.ts';
import { lockFolder } from '../storage/disk/folder-lock.ts';
import { createPrivateFolder, PRIVATE_FILE, PRIVATE_FOLDER } from '../storage/disk/private-files.ts';
import { syncFolder } from '../storage/disk/sync-folder.ts';
import type { ByteStream } from './archive.ts';

export interface ObjectPlace {
  /** For people. */
  readonly title: string;
  /** Undefined where there is no such object. */
  read(name: string): Promise<ByteStream | undefined>;
  /** Complete or absent, and durable after `settle`. */
  write(name: string, bytes: ByteStream): Promise<void>;
  /**
   * For a place where an object can get its name after its bytes: they are read once only. False where it was there already,
   * and the bytes are not kept.
   */
  writeThenName?(bytes: ByteStream, name: () => string): Promise<boolean>;
  has(name: string): Promise<boolean>;
  /** In any order. */
  list(folder: string): AsyncIterable<{ name: string; modifiedAt: number }>;
  remove(name: string): Promise<void>;
  /** Whether nothing else is there. */
  isEmpty(): Promise<boolean>;
  /** One process at a time writes or removes. Throws where another does. */
  lock(): Promise<() => Promise<void>>;
  settle(): Promise<void>;
}

const LOCK = ['lock', 'lock.json'];
const TEMPORARY = 'tmp';

export function folderPlace(folder: string): ObjectPlace {
  /** Folders whose entries have to reach the disk. */
  const changed = new Set<string>();
  async function draft(bytes: ByteStream): Promise<string> {
    const file = join(folder, TEMPORARY, randomUUID());
    await mkdir(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
    const handle = await open(file, 'wx', PRIVATE_FILE);
    try {
      for await (const chunk of bytes) await handle.writeFile(chunk);
      await handle.sync();
    } catch (error) {
      await unlink(file).catch(() => {});
      throw error;
    } finally {
      await handle.close();
    }
    return file;
  }
  async function publish(file: string, name: string): Promise<void> {
    const target = join(folder, name);
    await mkdir(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
    await rename(file, target);
    changed.add(dirname(target)).add(dirname(dirname(target)));
  }
  const has = async (name: string) => (await stat(join(folder, name)).catch(ifMissing)) !== undefined;
  return {
    title: folder,
    has,
    async read(name) {
      return (await has(name)) ? readFilePieces(join(folder, name)) : undefined;
    },
    async write(name, bytes) {
      await publish(await draft(bytes), name);
    },
    async writeThenName(bytes, nameOf) {
      const file = await draft(bytes);
      const name = nameOf();
      if (await has(name)) {
        await unlink(file);
        return false;
      }
      await publish(file, name);
      return true;
    },
    async *list(name) {
      yield* filesBelow(folder, name);
    },
    async remove(name) {
      await unlink(join(folder, name)).catch(ifMissing);
    },
    async isEmpty() {
      const names = await readdir(folder).catch((error: unknown) => ifMissing(error) ?? []);
      return names.every((name) => LOCK.includes(name) || name === TEMPORARY);
    },
    async lock() {
      createPrivateFolder(folder);
      const lock = await lockFolder(folder, { waitMs: 0 }).catch((error: unknown) => {
        throw isBusy(folder, error);
      });
      // Of a process that was killed.
      await rm(join(folder, TEMPORARY), { recursive: true, force: true });
      return async () => {
        await rm(join(folder, TEMPORARY), { recursive: true, force: true });
        lock.release();
      };
    },
    async settle() {
      for (const one of changed) await syncFolder(one);
      changed.clear();
    },
  };
}

async function* filesBelow(root: string, name: string): AsyncGenerator<{ name: string; modifiedAt: number }> {
  const folder = await opendir(join(root, name)).catch(ifMissing);
  if (folder === undefined) return;
  for await (const entry of folder) {
    const inner = `${name}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, inner);
    else {
      const found = await stat(join(root, inner)).catch(ifMissing);
      if (found !== undefined) yield { name: inner, modifiedAt: found.mtimeMs };
    }
  }
}

function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function isBusy(place: string, cause?: unknown): Failure {
  return new Failure(
    'conflict',
    `Another backup into ${place} is being made, or old ones are removed: try again when it has ended.`,
    { cause },
  );
}

const WRITERS = 'writers';
const SIGN_MS = 60_000;
/** A writer that has not said for so long that it is there has ended. */
const GONE_MS = 5 * SIGN_MS;

/** `blobs` has the prefix of the backups. */
export function bucketPlace(blobs: BlobStore, title: string): ObjectPlace {
  return {
    title,
    has: (name) => blobs.has(name),
    async read(name) {
      const blob = await blobs.get(name);
      return blob?.stream() as AsyncIterable<Uint8Array> | undefined;
    },
    async write(name, bytes) {
      await blobs.put(name, toAsync(bytes));
    },
    async *list(folder) {
      for await (const { key: name, modifiedAt } of blobs.list(`${folder}/`)) yield { name, modifiedAt };
    },
    remove: (name) => blobs.delete(name),
    async isEmpty() {
      for await (const { key } of blobs.list()) if (!key.startsWith(`${WRITERS}/`)) return false;
      return true;
    },
    /** Both of two that begin at the same moment see each other, and give up. */
    async lock() {
      const own = `${WRITERS}/${randomUUID()}`;
      const sign = () => blobs.put(own, Buffer.from(new Date().toISOString()));
      await sign();
      let signedAt = 0;
      const others: { key: string; modifiedAt: number }[] = [];
      // By the clock of the object storage alone.
      for await (const found of blobs.list(`${WRITERS}/`))
        if (found.key === own) signedAt = found.modifiedAt;
        else others.push(found);
      if (others.some(({ modifiedAt }) => modifiedAt > signedAt - GONE_MS)) {
        await blobs.delete(own);
        throw isBusy(title);
      }
      for (const { key } of others) await blobs.delete(key);
      const timer = setInterval(() => void sign().catch(() => {}), SIGN_MS).unref();
      return async () => {
        clearInterval(timer);
        await blobs.delete(own);
      };
    },
    settle: () => Promise.resolve(),
  };
}

async function* toAsync(bytes: ByteStream): AsyncGenerator<Uint8Array, void, void> {
  yield* bytes;
}
