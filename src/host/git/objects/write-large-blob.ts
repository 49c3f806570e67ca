// Stores a file that is too large for memory as a loose object, from its bytes as they arrive. ADR 0170.
import { createHash, randomBytes } from 'node:crypto';
import { open, rename, rm, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createDeflate, readableFrom } from '../../../kernel/network/streams.ts';
import { PRIVATE_FILE } from '../../../kernel/storage/disk/private-files.ts';
import { syncFolder } from '../../../kernel/storage/disk/sync-folder.ts';
import { asStorageFailure } from '../../../kernel/storage/storage-failure.ts';
import type { GitRepository } from '../repository.ts';
import { createFolder, looseFileOf, LOOSE_LEVEL, OBJECT_MODE } from './loose-objects.ts';

export interface StoredFile {
  oid: string;
  size: number;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Durable once resolved. The id of an object begins with its size, so that the bytes go to the disk before they are hashed. Maintenance
 * deletes what a crash leaves, and a blob that nothing refers to.
 */
export async function writeLargeBlob(
  { folder }: Pick<GitRepository, 'folder'>,
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredFile> {
  const objects = join(folder, 'objects');
  const temporary = () => join(objects, `tmp_obj_${randomBytes(8).toString('hex')}`);
  const [plain, packed] = [temporary(), temporary()];
  try {
    const size = await writing(plain, PRIVATE_FILE, (file) => writePieces(file, bytes));
    const oid = await writing(packed, OBJECT_MODE, async (file) => {
      const id = await packBlob(plain, size, file);
      await file.sync();
      return id;
    });
    await publish(objects, packed, oid);
    return { oid, size };
  } catch (error) {
    throw asStorageFailure(error);
  } finally {
    await Promise.all([plain, packed].map((file) => rm(file, { force: true })));
  }
}

async function writing<T>(name: string, mode: number, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(name, 'wx', mode);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

async function writePieces(file: FileHandle, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of pieces) {
    await file.writeFile(piece);
    size += piece.length;
  }
  return size;
}

/** Returns the id. */
async function packBlob(plain: string, size: number, to: FileHandle): Promise<string> {
  const hash = createHash('sha1');
  const from = await open(plain);
  async function* content(): AsyncGenerator<Buffer> {
    const header = Buffer.from(`blob ${size}\0`);
    hash.update(header);
    yield header;
    for (;;) {
      const { bytesRead, buffer } = await from.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    await pipeline(
      readableFrom(content()),
      createDeflate({ level: LOOSE_LEVEL, chunkSize: CHUNK_BYTES }),
      (packed: AsyncIterable<Buffer>) => writePieces(to, packed),
    );
    return hash.digest('hex');
  } finally {
    await from.close();
  }
}

/** One that is there stays, and becomes new: an object that nothing refers to expires by the time of its file. */
async function publish(objects: string, packed: string, oid: string): Promise<void> {
  const file = join(objects, looseFileOf(oid));
  const now = new Date();
  const isThere = await utimes(file, now, now).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  const isNew = await createFolder(join(objects, oid.slice(0, 2)));
  await rename(packed, file);
  await syncFolder(join(objects, oid.slice(0, 2)));
  if (isNew) await syncFolder(objects);
}
