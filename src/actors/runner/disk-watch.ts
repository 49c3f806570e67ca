// Measures the disk space of programs, and decides when: so that neither many files nor little work hides what one writes.
import { statfs } from 'node:fs/promises';
import { threadFile, ThreadRunner } from '../../kernel/threads/thread-runner.ts';
import type { DiskQuery, DiskUsage } from './disk-usage.ts';
import type { ProgramLimit } from './runner.ts';

/** Measuring takes at most this share of the time. */
const SHARE = 0.02;
/** The same, where the program may be over its limit by now. */
const URGENT_SHARE = 0.2;
/** A program that has worked for less since the last time has not written much by itself. */
const IDLE_CPU_MS = 5;
/** Measuring more takes seconds: without a limit a program would escape its own by many small folders. */
export const MAX_ENTRIES = 250_000;

export interface DiskWatch {
  /** The limit that is broken. Called often; most times it measures nothing. */
  check(cpuMs: number): Promise<ProgramLimit | undefined>;
  /** By how much it has grown in the last minutes. */
  growth(): Promise<number>;
}

/** A program that has taken its space long ago is not the one that fills the disk now. */
const GROWTH_MS = 10 * 60_000;

export interface DiskWatchOptions {
  /** The first is a folder that exists. */
  paths: readonly string[];
  maxBytes: number;
  maxEntries?: number | undefined;
  shared?: DiskQuery['shared'];
  listPids(): Promise<readonly number[]>;
  now?: () => number;
  read(query: DiskQuery): Promise<DiskUsage>;
  /** In place of the system's. */
  readFreeBytes?: (path: string) => Promise<number>;
}

const THREAD = threadFile('disk-thread', import.meta.url);

/** One thread, so that programs with many files use one core at most; each waits for its turn, so that none is left out. */
export function openDiskMeter(): ThreadRunner<DiskQuery, DiskUsage> {
  return new ThreadRunner(THREAD, { megabytes: 256, idleMs: 10_000 });
}

export function openDiskWatch(options: DiskWatchOptions): DiskWatch {
  const { paths, maxBytes, maxEntries = MAX_ENTRIES, listPids, read } = options;
  const { readFreeBytes = freeBytesOf, now = () => performance.now() } = options;
  /** The first is the last one before the time that counts as growth, if there is one so old. */
  const samples: { at: number; bytes: number }[] = [];
  let last = { bytes: 0, freeBytes: Infinity, cpuMs: -Infinity, endedAt: -Infinity, tookMs: 0 };

  async function measureUpTo(limits: Pick<DiskQuery, 'maxBytes' | 'maxEntries'>): Promise<DiskUsage> {
    return await read({ paths, shared: options.shared, pids: await listPids(), ...limits });
  }

  return {
    async check(cpuMs) {
      const startedAt = now();
      const freeBytes = await readFreeBytes(paths[0]!);
      // Space can be allocated almost without work. What all others write counts too, and only costs a measurement.
      const mayExceed = last.freeBytes - freeBytes > maxBytes - last.bytes;
      if (startedAt - last.endedAt < last.tookMs / (mayExceed ? URGENT_SHARE : SHARE)) return undefined;
      if (cpuMs - last.cpuMs < IDLE_CPU_MS && !mayExceed) return undefined;
      const { bytes, entries } = await measureUpTo({ maxBytes, maxEntries });
      const endedAt = now();
      samples.push({ at: endedAt, bytes });
      while (samples.length > 1 && samples[1]!.at < endedAt - GROWTH_MS) samples.shift();
      last = { bytes, freeBytes, cpuMs, endedAt, tookMs: endedAt - startedAt };
      if (bytes > maxBytes) return 'disk';
      return entries > maxEntries ? 'files' : undefined;
    },
    async growth() {
      const { bytes } = await measureUpTo({ maxBytes: Infinity, maxEntries });
      const [oldest] = samples;
      return bytes - (oldest !== undefined && oldest.at < now() - GROWTH_MS ? oldest.bytes : 0);
    },
  };
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
