// How large the objects of a repository are, each of them inflated and by itself, and how large its packs are on disk.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { streamGit, type GitTarget } from './git-target.ts';

const TIMEOUT_MS = 30 * 60_000;
const NICENESS = 10;
const NEWLINE = 0x0a;
const ZERO = 0x30;

/** Reads the header of every object: some seconds for a million of them. */
export async function measureInflatedBytes(target: GitTarget): Promise<number> {
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', '--batch-check=%(objectsize)'];
  const output = streamGit(target, args, { timeoutMs: TIMEOUT_MS, work: 'maintain', niceness: NICENESS });
  let bytes = 0;
  let size = 0;
  for await (const chunk of output)
    for (const byte of chunk) {
      if (byte !== NEWLINE) {
        size = 10 * size + byte - ZERO;
        continue;
      }
      bytes += size;
      size = 0;
    }
  return bytes;
}

/** Of a folder of objects. */
export async function measurePackBytes(objects: string): Promise<number> {
  const folder = join(objects, 'pack');
  const names = await readdir(folder).catch(() => []);
  const packs = names.filter((name) => name.endsWith('.pack'));
  const sizes = await Promise.all(
    packs.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
