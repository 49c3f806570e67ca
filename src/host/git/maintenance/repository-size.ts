// Measures how large the objects of a repository are: on disk, and each of them inflated and by itself.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit, type GitTarget, streamGit } from '../git-target.ts';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 4096;

export async function measureSizeKb(target: GitTarget): Promise<number> {
  const output = await runGit(target, ['count-objects', '-v'], {
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
  const sizes = [...output.toString().matchAll(/^size(?:-pack)?: (\d+)$/gm)];
  return sizes.reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0);
}

const INFLATED_TIMEOUT_MS = 30 * 60_000;

const NICENESS = 10;
const NEWLINE = 0x0a;
const ZERO = 0x30;

/** Reads the header of every object: some seconds for a million of them. */
export async function measureInflatedBytes(target: GitTarget): Promise<number> {
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', '--batch-check=%(objectsize)'];
  const output = streamGit(target, args, {
    timeoutMs: INFLATED_TIMEOUT_MS,
    work: 'maintain',
    niceness: NICENESS,
  });
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
