// Measures what takes room on disk, from time to time and in a thread: on a slow disk every file takes a while.
import { hostname } from 'node:os';
import { openDiskMeter } from '../../actors/runner/disk-watch.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { describeEngine } from '../../kernel/storage/describe-engine.ts';
import { insertDiskSamples, listDiskSamples, type DiskSample } from './disk-use-store.ts';
import { forecastDisk, type DiskForecast } from './disk-forecast.ts';

declare module '../../kernel/kernel.ts' {
  interface Settings {
    /** The folders of this node by what is in them, for people. */
    dataFolders: Readonly<Record<string, string>>;
  }
}

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const KEPT_MS = 30 * DAY;
/** What one kind takes is measured so often: all its files are looked at. */
const MEASURE_MS = 12 * HOUR;
const DATABASE = 'database';
const DISK = 'disk ';

/** The same after a start: what is measured is the machine's. Where a process has a host of its own, so has its disk. */
export const DISK_NODE: MeasuredNode = { name: hostname() };

interface MeasuredNode {
  name: string;
}

/**
 * Every node does this for itself: its disks are its own. So it is no due work, which one node does for all, but what a node
 * does as long as it works.
 */
export function startDiskUse(kernel: Kernel, node: MeasuredNode): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let measuring = Promise.resolve();
  const measure = () => {
    measuring = measuring
      .then(() => (stopping.signal.aborted ? undefined : sampleDisks(kernel, node, stopping.signal)))
      .catch((error: unknown) => {
        if (!stopping.signal.aborted)
          kernel.log.warn({ err: error }, 'cannot measure what takes room on disk');
      });
  };
  const first = setTimeout(measure, FIRST_MS).unref();
  const timer = setInterval(measure, HOUR).unref();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(first);
      clearInterval(timer);
      await measuring;
    },
  };
}

/** A server that lives for seconds measures nothing. */
const FIRST_MS = 30_000;

export async function sampleDisks(
  kernel: Kernel,
  { name }: MeasuredNode,
  signal: AbortSignal,
): Promise<void> {
  const { db, disk, clock, settings, engine } = kernel;
  const at = clock.now();
  const samples: DiskSample[] = disk.listSpace().map(({ names, totalBytes, freeBytes }) => ({
    kind: DISK + names.join(', '),
    at,
    bytes: totalBytes - freeBytes,
    totalBytes,
  }));
  const known = await listDiskSamples(db, name);
  const last = known.findLast(({ kind }) => kind === DATABASE)?.at ?? 0;
  if (at - last >= MEASURE_MS) {
    samples.push({ kind: DATABASE, at, bytes: (await describeEngine(engine)).bytes });
    const meter = openDiskMeter();
    try {
      for (const [kind, path] of Object.entries(settings.dataFolders)) {
        const query = { paths: [path], maxBytes: Infinity, maxEntries: Infinity };
        samples.push({ kind, at, bytes: (await meter.ask(() => query, { signal })).bytes });
      }
    } finally {
      await meter.close();
    }
  }
  await insertDiskSamples(db, name, samples, at - KEPT_MS);
}

/** Of each file system, as it was measured last: for a command, with or without a running server. */
export function forecastSamples(
  samples: readonly DiskSample[],
  now: number,
): ({ names: string } & DiskForecast)[] {
  const byKind = Map.groupBy(samples, ({ kind }) => kind);
  return [...byKind].flatMap(([kind, some]) => {
    const found = forecastDisk(some, some.at(-1)!.totalBytes ?? 0, now);
    return kind.startsWith(DISK) && found !== undefined ? { names: kind.slice(DISK.length), ...found } : [];
  });
}

export interface DiskUse {
  kinds: { kind: string; bytes: number; at: number }[];
  disks: ({ names: string; totalBytes: number; freeBytes: number } & Partial<DiskForecast>)[];
}

export async function readDiskUse(
  kernel: Pick<Kernel, 'db' | 'disk' | 'clock'>,
  { name }: MeasuredNode,
): Promise<DiskUse> {
  const samples = await listDiskSamples(kernel.db, name);
  const byKind = Map.groupBy(samples, ({ kind }) => kind);
  const now = kernel.clock.now();
  return {
    kinds: [...byKind]
      .filter(([kind]) => !kind.startsWith(DISK))
      .map(([kind, some]) => ({ kind, bytes: some.at(-1)!.bytes, at: some.at(-1)!.at })),
    disks: kernel.disk.listSpace().map(({ names, totalBytes, freeBytes }) => {
      const title = names.join(', ');
      const used = { at: now, bytes: totalBytes - freeBytes };
      return {
        names: title,
        totalBytes,
        freeBytes,
        ...forecastDisk([...(byKind.get(DISK + title) ?? []), used], totalBytes, now),
      };
    }),
  };
}
