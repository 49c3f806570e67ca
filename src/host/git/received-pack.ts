// What a push brings, looked at while it is in git's quarantine: a few bytes can stand for terabytes of content, or for
// billions of files.
import { readFileSync } from 'node:fs';
import { readdir, stat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Failure } from '../../kernel/failure.ts';
import { sortNumbersInSlices, TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { GitProcess, GitProgram } from './process/git-process.ts';
import { startOf, type GitTarget } from './git-target.ts';
import type { ObjectInfo } from './objects/object-reader.ts';
import { ReaderPool } from './objects/reader-pool.ts';
import { MAX_TREE, type RepositoryServices } from './repository.ts';
import { TreeMeasure, TREES_AT_ONCE, openTreeSource } from './objects/tree-expansion.ts';

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

interface ReceivedPack {
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

const MAGIC = 0xff_74_4f_63;
const HEADER = 8;
const FANOUT = 256 * 4;
const ID = 20;
const STEP = 1000;

/** The order of the pack has deltas near their bases, so that reading it takes a fraction of the time of the order of ids. */
async function readPackedIds(file: string): Promise<string[]> {
  const bytes = await readFile(file);
  if (bytes.readUInt32BE(0) !== MAGIC || bytes.readUInt32BE(4) !== 2)
    throw new Error('The index of a pack has another version than 2.');
  const count = bytes.readUInt32BE(HEADER + FANOUT - 4);
  const ids = HEADER + FANOUT;
  const offsets = ids + count * (ID + 4);
  // Those beyond 2 GiB have the position in a further table instead, behind all others: in the order of ids.
  const places = new Float64Array(count);
  for (let at = 0; at < count; at += 1) places[at] = bytes.readUInt32BE(offsets + 4 * at) * count + at;
  const order = await sortNumbersInSlices(places);
  const found: string[] = [];
  const slice = new TimeSlice();
  for (const key of order) {
    const start = ids + ID * (key % count);
    found.push(bytes.toString('hex', start, start + ID));
    if (found.length % STEP === 0 && slice.isOver) await slice.yieldToEventLoop();
  }
  return found;
}

/** Of all Linux systems that Node runs on. */
const TICKS_PER_SECOND = 100;
/** Where the times of a process are, after its name. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

function childrenOf(pid: number): number[] {
  return readProc(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    // The process has ended, or this is not Linux.
    return '';
  }
}

function cpuSecondsOf(pid: number): number {
  const line = readProc(`${pid}/stat`);
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TIME] ?? 0) + Number(fields[SYSTEM_TIME] ?? 0)) / TICKS_PER_SECOND;
}

interface Child {
  cpuSeconds: number;
  /** What it was started as, such as `git index-pack`. */
  command: string;
}

/**
 * As Linux shows them; elsewhere there are none to be seen. Ends the children alone: git itself then reports that,
 * and removes what they have left. Returns how many there were.
 */
export function killChildren(pid: number, isAffected: (child: Child) => boolean = () => true): number {
  const children = childrenOf(pid).filter((child) => {
    const command = readProc(`${child}/cmdline`).replaceAll('\0', ' ');
    return isAffected({ command, cpuSeconds: cpuSecondsOf(child) });
  });
  for (const child of children)
    try {
      process.kill(child, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  return children.length;
}
