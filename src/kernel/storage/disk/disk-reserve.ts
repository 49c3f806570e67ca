// A file that is deleted when the disk is full, so that there is room for what makes room: a deletion of rows needs some itself.
import { randomFill } from 'node:crypto';
import { open, rm, stat, truncate } from 'node:fs/promises';
import { promisify } from 'node:util';
import { PRIVATE_FILE } from './private-files.ts';

const CHUNK_BYTES = 1024 ** 2;

/** How many bytes it holds now. */
export async function readReserve(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Each page of this size gets a number, so that no two are the same. */
const PAGE_BYTES = 4096;

/**
 * Random bytes: file systems that compress would store anything else in no space at all. They look for repetitions within
 * less than a chunk, and for equal pages, so that one chunk is enough whose pages are numbered. Goes on where it was interrupted.
 */
export async function fillReserve(file: string, bytes: number, signal: AbortSignal): Promise<void> {
  const handle = await open(file, 'a', PRIVATE_FILE);
  try {
    let { size } = await handle.stat();
    if (size > bytes) await handle.truncate(bytes);
    const random = Buffer.allocUnsafe(CHUNK_BYTES);
    if (size < bytes) await promisify(randomFill)(random);
    while (size < bytes) {
      signal.throwIfAborted();
      for (let at = 0; at < CHUNK_BYTES; at += PAGE_BYTES) random.writeDoubleLE(size + at, at);
      const chunk = random.subarray(0, Math.min(CHUNK_BYTES, bytes - size));
      await handle.write(chunk);
      size += chunk.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function releaseReserve(file: string): Promise<void> {
  // Some file systems can shorten a file when they are too full to delete it.
  await rm(file, { force: true }).catch(() => truncate(file, 0));
}
