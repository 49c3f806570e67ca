// What a push brings, looked at while it is in git's quarantine: a few bytes can stand for terabytes of content, or for
// billions of files.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Failure } from '../../kernel/failure.ts';
import { killChildren, type Child } from './children.ts';
import type { GitProcess, GitProgram } from './git-process.ts';
import { startOf, type GitTarget } from './git-target.ts';
import type { ObjectInfo } from './object-reader.ts';
import { readPackedIds } from './pack-index.ts';
import { ReaderPool } from './reader-pool.ts';
import { MAX_TREE, type RepositoryServices } from './repository.ts';
import { TreeMeasure, TREES_AT_ONCE } from './tree-expansion.ts';
import { openTreeSource } from './tree-source.ts';

/** How many bytes all objects may have together when they are inflated. */
export interface InflationLimits {
  /** For each byte of the pack. Histories of many versions of large files have a hundred. */
  ratio: number;
  /** That much is allowed however small the pack is: one changed line of a large file is a pack of 300 bytes. */
  leastBytes: number;
  /** The same for all objects of a repository, beside the ratio to what its packs have on disk. */
  repositoryBytes: number;
}

export const DEFAULT_INFLATION: InflationLimits = {
  ratio: 256,
  leastBytes: 512 * 1024 ** 2,
  repositoryBytes: 64 * 1024 ** 3,
};

/** How many bytes a pack of this size may have when it is inflated. */
export function maxInflatedBytes(
  { ratio, leastBytes }: Pick<InflationLimits, 'ratio' | 'leastBytes'>,
  packBytes: number,
): number {
  return leastBytes + ratio * packBytes;
}

/** Git inflates and hashes several times as many on any machine of today. */
const BYTES_PER_SECOND = 64 * 1024 ** 2;
const LEAST_SECONDS = 2;
const WATCH_MS = 200;
const READERS = /\b(?:index-pack|unpack-objects)\b/;

/**
 * Ends what reads the pack when it takes more CPU time than a pack of the size that was received so far may take: what it
 * inflates is counted only afterwards. Call the result when the push has ended.
 */
export function watchInflation(
  { pid, stdin }: Pick<GitProcess, 'pid' | 'stdin'>,
  limits: InflationLimits,
  onStop: () => void,
): () => void {
  const timer = setInterval(() => {
    const received = (stdin as Writable & { bytesWritten: number }).bytesWritten;
    const seconds = LEAST_SECONDS + maxInflatedBytes(limits, received) / BYTES_PER_SECOND;
    const isTooLong = ({ command, cpuSeconds }: Child) => cpuSeconds > seconds && READERS.test(command);
    if (killChildren(pid, isTooLong) > 0) onStop();
  }, WATCH_MS);
  return () => clearInterval(timer);
}

const TIMEOUT_MS = 60_000;
const IDLE_MS = 60_000;
const INFOS_AT_ONCE = 1000;

export interface ReceivedPack {
  target: GitTarget & { program: GitProgram; quarantine: string };
  services: Pick<RepositoryServices, 'expansions'>;
  limits: InflationLimits;
}

/**
 * Resolves with the bytes of all objects that the quarantine has.
 * @throws {Failure} for what is too large.
 */
export async function checkReceivedPack({ target, services, limits }: ReceivedPack): Promise<number> {
  const folder = join(target.quarantine, 'pack');
  const names = await readdir(folder).catch(() => []);
  const indexes = names.filter((name) => name.endsWith('.idx'));
  if (indexes.length === 0) return 0;
  const pool = new ReaderPool({
    start: () =>
      target.program.start(['cat-file', '--batch-command', '--buffer'], {
        ...startOf(target),
        work: 'reader',
      }),
    maxReaders: 1,
    idleMs: IDLE_MS,
    timeoutMs: TIMEOUT_MS,
  });
  const close = () => pool.close();
  target.signal?.addEventListener('abort', close, { once: true });
  try {
    let inflated = 0;
    for (const index of indexes) {
      const ids = await readPackedIds(join(folder, index));
      const { size } = await stat(join(folder, index.replace(/idx$/, 'pack')));
      const { bytes, trees } = await readInfos(pool, target.folder, ids, maxInflatedBytes(limits, size));
      inflated += bytes;
      await measureTrees(pool, target.folder, trees, services);
    }
    return inflated;
  } finally {
    target.signal?.removeEventListener('abort', close);
    close();
  }
}

async function readInfos(
  pool: ReaderPool,
  folder: string,
  ids: readonly string[],
  max: number,
): Promise<{ bytes: number; trees: string[] }> {
  let bytes = 0;
  const trees: string[] = [];
  for (let start = 0; start < ids.length; start += INFOS_AT_ONCE) {
    const infos = await pool.requestAll(folder, 'info', ids.slice(start, start + INFOS_AT_ONCE));
    for (const info of infos as ObjectInfo[]) {
      bytes += info.size;
      if (info.type !== 'tree') continue;
      if (info.size > MAX_TREE)
        throw new Failure('too-large', `A folder of the push has more than ${MAX_TREE} bytes of entries.`);
      trees.push(info.oid);
    }
    if (bytes > max)
      throw new Failure(
        'too-large',
        `The objects of the push have more than ${max} bytes when they are inflated, which is too much for so small a pack. Push in parts.`,
      );
  }
  return { bytes, trees };
}

async function measureTrees(
  pool: ReaderPool,
  folder: string,
  trees: readonly string[],
  { expansions: known }: Pick<RepositoryServices, 'expansions'>,
): Promise<void> {
  const measure = new TreeMeasure(openTreeSource({ pool, folder, known }));
  for (let start = 0; start < trees.length; start += TREES_AT_ONCE)
    await measure.measure(trees.slice(start, start + TREES_AT_ONCE));
}
