// The disk space that a folder of a user's program takes.
import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Also for an empty file, which takes an inode: a million of them must not count as nothing. */
const MIN_FILE_BYTES = 1024;
const BLOCK_BYTES = 512;

/** Stops counting above the limit. Links are not followed; what disappears meanwhile counts as nothing. */
export async function measureFolder(folder: string, limit: number): Promise<number> {
  let bytes = 0;
  const pending = [folder];
  for (let path = pending.pop(); path !== undefined && bytes <= limit; path = pending.pop()) {
    for (const entry of await entriesOf(path)) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) pending.push(child);
      bytes += await measureFile(child);
      if (bytes > limit) return bytes;
    }
  }
  return bytes;
}

/** Allocated blocks, so that a sparse file counts for what it takes. */
export async function measureFile(file: string): Promise<number> {
  const stats = await lstat(file).catch((): Stats | undefined => undefined);
  return stats === undefined ? 0 : Math.max(stats.blocks * BLOCK_BYTES, MIN_FILE_BYTES);
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
}
