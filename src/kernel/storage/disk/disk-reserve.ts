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

/** Random bytes: file systems that compress would store anything else in no space at all. Goes on where it was interrupted. */
export async function fillReserve(file: string, bytes: number, signal: AbortSignal): Promise<void> {
  const handle = await open(file, 'a', PRIVATE_FILE);
  try {
    let { size } = await handle.stat();
    if (size > bytes) await handle.truncate(bytes);
    while (size < bytes) {
      signal.throwIfAborted();
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - size));
      await promisify(randomFill)(chunk);
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
