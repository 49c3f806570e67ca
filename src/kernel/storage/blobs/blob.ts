// Blobs as files: written to a temporary file, synced and then renamed, so that a blob is either complete or absent.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, opendir, rename, stat, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { withErrorListener } from '../../network/streams.ts';
import { systemClock } from '../../clock.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { Checksum, verifyBlob } from './blob-checksum.ts';
import { asStorageFailure } from '../storage-failure.ts';
import { readPieces } from '../disk/file-pieces.ts';
import { syncFolder } from '../disk/sync-folder.ts';
import { createPrivateFolder, PRIVATE_FILE, PRIVATE_FOLDER } from '../disk/private-files.ts';

export interface BlobStore {
  /** Durable once resolved. Fails when `data` fails, and the key then keeps its previous blob. */
  put(
    key: string,
    data: Uint8Array | AsyncIterable<Uint8Array>,
    known?: CheckedBytes,
  ): Promise<{ size: number }>;
  /** The whole blob, or a range that lies inside it. A whole one is verified against its checksum, if it has one. */
  get(key: string, range?: BlobRange): Promise<StoredBlob | undefined>;
  /** For callers that hash the whole blob themselves; absent where the store has no faster way for them. */
  getUnchecked?(key: string): Promise<UncheckedBlob | undefined>;
  has(key: string): Promise<boolean>;
  /** Also succeeds when there is nothing to delete. */
  delete(key: string): Promise<void>;
  /** Unordered. */
  list(prefix?: string): AsyncIterable<ListedBlob>;
  /** A URL at which anyone can read the blob until it expires; absent where the store has no such URLs. */
  presign?(key: string, options: PresignOptions): string;
}

/** The checksum of bytes whose stream fails at its end where they have another: they are not hashed again. */
export interface CheckedBytes {
  checksum: string;
}

/** First and last byte, both included. */
export interface BlobRange {
  start: number;
  end: number;
}

export interface ListedBlob {
  key: string;
  /** When it was put, in epoch milliseconds. */
  modifiedAt: number;
}

export interface PresignOptions {
  expiresSeconds: number;
  /** The content type of the reply at that URL. */
  contentType: string;
  contentEncoding?: string;
  disposition?: string;
}

/** A blob as it was when requested, even if it is replaced or deleted meanwhile. */
export interface StoredBlob {
  /** The size of the whole blob, for ranges too. */
  size: number;
  /** To be called once. The file is closed when the stream ends or is destroyed. */
  stream(): Readable;
  /** For callers that do not use the stream. */
  close(): Promise<void>;
}

export interface UncheckedBlob {
  size: number;
  /** To be compared by the caller. Releases before 0.2 wrote none. */
  checksum: string | undefined;
  /** To be called once, and read: the file is closed at the end. Each piece is valid until the next is asked for. */
  pieces(): AsyncGenerator<Uint8Array, void, void>;
}

/** A temporary file that has not been written to for this long was left behind by a crash. */
const STALE_MS = 60 * 60 * 1000;

/** Creates the folder if it is missing, and deletes the temporary files that a crash left there. */
export async function openFileBlobs(folder: string, clock: Clock = systemClock): Promise<BlobStore> {
  const root = resolve(folder);
  const temporary = join(root, 'tmp');
  try {
    createPrivateFolder(temporary);
    await sweep(temporary, clock.now() - STALE_MS);
  } catch (error) {
    const advice = 'check that it can be written to by the user who runs this program';
    throw new Failure('unavailable', `Cannot use the blob folder ${root}: ${String(error)}; ${advice}.`, {
      cause: error,
    });
  }
  return fileBlobs(root);
}

/**
 * A file is named by the hash of its key, because keys may be hostile (`../x`), too long for a file name, or differ only in
 * case. Its first line is JSON with the key, for `list`, and the checksum of the content, which follows. Releases before
 * 0.2 wrote only the key.
 */
export function fileBlobs(root: string): BlobStore {
  const temporary = join(root, 'tmp');
  return {
    async put(key, data, known) {
      const file = join(temporary, randomUUID());
      try {
        const size = await write(file, key, data, known);
        await moveIntoPlace(file, pathOf(root, key));
        return { size };
      } catch (error) {
        await unlink(file).catch(() => {});
        throw asStorageFailure(error);
      }
    },

    async get(key, range) {
      const handle = await openIfExists(pathOf(root, key));
      return handle && (await blobOf(handle, key, range));
    },

    async getUnchecked(key) {
      const handle = await openIfExists(pathOf(root, key));
      return handle && (await uncheckedBlobOf(handle));
    },

    async has(key) {
      const found = await stat(pathOf(root, key)).catch((error: unknown) => {
        if (!isMissing(error)) throw asStorageFailure(error);
      });
      return found !== undefined;
    },

    async delete(key) {
      const file = pathOf(root, key);
      try {
        await unlink(file);
        await syncFolder(dirname(file));
      } catch (error) {
        if (!isMissing(error)) throw asStorageFailure(error);
      }
    },

    async *list(prefix = '') {
      for await (const shard of await opendir(root)) {
        if (shard.name === 'tmp' || !shard.isDirectory()) continue;
        for await (const entry of await opendir(join(root, shard.name))) {
          const handle = await openIfExists(join(root, shard.name, entry.name));
          if (!handle) continue;
          const listed = await readListed(handle);
          if (listed.key.startsWith(prefix)) yield listed;
        }
      }
    },
  };
}

function pathOf(root: string, key: string): string {
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  return join(root, hash.slice(0, 2), hash.slice(2));
}

async function write(
  file: string,
  key: string,
  data: Uint8Array | AsyncIterable<Uint8Array>,
  known: CheckedBytes | undefined,
): Promise<number> {
  const handle = await open(file, 'wx', PRIVATE_FILE);
  try {
    let size = 0;
    const checksum = known === undefined ? new Checksum() : undefined;
    await handle.writeFile(headerOf(key, known?.checksum ?? ''));
    for await (const chunk of data instanceof Uint8Array ? [data] : data) {
      checksum?.update(chunk);
      await handle.writeFile(chunk);
      size += chunk.byteLength;
    }
    if (checksum !== undefined) {
      const header = Buffer.from(headerOf(key, checksum.digest()));
      await handle.write(header, 0, header.length, 0);
    }
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

/** Space for the hash and the number of parts. */
const CHECKSUM_CHARACTERS = 56;

/** As long with an empty checksum, which is filled in once it is known. */
function headerOf(key: string, checksum: string): string {
  return `${JSON.stringify({ checksum: checksum.padEnd(CHECKSUM_CHARACTERS), key })}\n`;
}

async function moveIntoPlace(from: string, to: string): Promise<void> {
  const shard = dirname(to);
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(shard, { recursive: true, mode: PRIVATE_FOLDER });
    await syncFolder(dirname(shard));
    await rename(from, to);
  }
  await syncFolder(shard);
}

async function openIfExists(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw asStorageFailure(error);
  }
}

/** Keeps the file open, because its name may refer to another file by the time it is read. */
async function blobOf(handle: FileHandle, key: string, range: BlobRange | undefined): Promise<StoredBlob> {
  try {
    const [{ start, checksum }, { size }] = await Promise.all([readHeader(handle), handle.stat()]);
    const blob: StoredBlob = {
      size: size - start,
      stream: () =>
        withErrorListener(
          handle.createReadStream(
            range === undefined ? { start } : { start: start + range.start, end: start + range.end },
          ),
        ),
      close: () => handle.close(),
    };
    return range === undefined && checksum !== undefined ? await verifyBlob(blob, key, checksum) : blob;
  } catch (error) {
    await handle.close();
    throw asStorageFailure(error);
  }
}

async function uncheckedBlobOf(handle: FileHandle): Promise<UncheckedBlob> {
  try {
    const [{ start, checksum }, { size }] = await Promise.all([readHeader(handle), handle.stat()]);
    return {
      size: size - start,
      checksum,
      async *pieces() {
        try {
          yield* readPieces(handle, start, size);
        } finally {
          await handle.close();
        }
      },
    };
  } catch (error) {
    await handle.close();
    throw asStorageFailure(error);
  }
}

async function readListed(handle: FileHandle): Promise<ListedBlob> {
  try {
    const [{ key }, { mtimeMs }] = await Promise.all([readHeader(handle), handle.stat()]);
    return { key, modifiedAt: mtimeMs };
  } finally {
    await handle.close();
  }
}

interface Header {
  key: string;
  checksum?: string;
  /** The offset of the content. */
  start: number;
}

async function readHeader(handle: FileHandle): Promise<Header> {
  for (let length = 1024; ; length *= 16) {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: 0 });
    const end = buffer.subarray(0, bytesRead).indexOf('\n');
    if (end >= 0) return { ...parseHeader(buffer.toString('utf8', 0, end)), start: end + 1 };
    if (bytesRead < length)
      throw new Error('This is not a file of the blob store: its first line is missing.');
  }
}

function parseHeader(line: string): Omit<Header, 'start'> {
  const header = JSON.parse(line) as string | { key: string; checksum: string };
  return typeof header === 'string'
    ? { key: header }
    : { key: header.key, checksum: header.checksum.trimEnd() };
}

async function sweep(folder: string, before: number): Promise<void> {
  for await (const { name } of await opendir(folder)) {
    const file = join(folder, name);
    const isStale = await stat(file).then(
      ({ mtimeMs }) => mtimeMs < before,
      () => false,
    );
    if (isStale) await unlink(file).catch(() => {});
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
