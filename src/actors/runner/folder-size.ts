// The disk space that a folder of a user's program takes.
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { joinBytes } from './remove-tree.ts';

/** Also for an empty file, which takes an inode: a million of them must not count as nothing. */
const MIN_FILE_BYTES = 1024;
const BLOCK_BYTES = 512;

/**
 * Stops counting above the limit. Links are not followed; what disappears meanwhile counts as nothing. What cannot be
 * read, such as a path that is too long, counts as more than any limit: files could be hidden there.
 */
export async function measureFolder(folder: string, limit: number): Promise<number> {
  let bytes = 0;
  const pending: Buffer[] = [Buffer.from(folder)];
  for (let path = pending.pop(); path !== undefined && bytes <= limit; path = pending.pop()) {
    for (const entry of await entriesOf(path)) {
      if (entry === 'unreadable') return Infinity;
      const child = joinBytes(path, entry.name);
      if (entry.isDirectory()) pending.push(child);
      bytes += await measureFile(child);
      if (bytes > limit) return bytes;
    }
  }
  return bytes;
}

/** Allocated blocks, so that a sparse file counts for what it takes. */
export async function measureFile(file: string | Buffer): Promise<number> {
  const stats = await lstat(file).catch((error: NodeJS.ErrnoException): Stats | undefined | 'unreadable' =>
    isUnreadable(error) ? 'unreadable' : undefined,
  );
  if (stats === 'unreadable') return Infinity;
  return stats === undefined ? 0 : Math.max(stats.blocks * BLOCK_BYTES, MIN_FILE_BYTES);
}

async function entriesOf(folder: Buffer) {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    return isUnreadable(error as NodeJS.ErrnoException) ? (['unreadable'] as const) : [];
  }
}

function isUnreadable({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENAMETOOLONG' || code === 'EACCES';
}
