// A run as the Actors API has it.
import type { RunStatus } from '../lib/run-status.tsx';

export interface Run {
  id: string;
  actId: string;
  actorTaskId?: string | null;
  startedAt: string;
  finishedAt?: string | null;
  status: RunStatus;
  meta: { origin: string; scheduleId?: string; clientIp?: string | null; userAgent?: string | null };
  buildId?: string;
  buildNumber?: string;
}

export interface RunStats {
  memCurrentBytes?: number;
  memAvgBytes?: number;
  memMaxBytes?: number;
  /** In percent of one processor. */
  cpuCurrentUsage?: number;
  cpuAvgUsage?: number;
  cpuMaxUsage?: number;
  restartCount: number;
  resurrectCount: number;
  rebootCount?: number;
  migrationCount?: number;
  /** In gigabytes of memory times hours. */
  computeUnits?: number;
  runTimeSecs?: number;
}

type StorageIds = Readonly<Record<string, string>>;

export interface RunDetail extends Run {
  buildId: string;
  statusMessage?: string | null;
  exitCode?: number | null;
  stats: RunStats;
  options: {
    build: string;
    timeoutSecs: number;
    memoryMbytes: number;
    diskMbytes?: number;
    maxItems?: number | null;
    restartOnError?: boolean;
  };
  defaultDatasetId: string;
  defaultKeyValueStoreId: string;
  defaultRequestQueueId: string;
  storageIds?: { datasets: StorageIds; keyValueStores: StorageIds; requestQueues: StorageIds };
  metamorphs?: { createdAt: string; actorId: string; buildId: string; inputKey: string }[] | null;
}

/** In milliseconds; up to now while it runs. */
export function durationOf(
  { startedAt, finishedAt }: Pick<Run, 'startedAt' | 'finishedAt'>,
  now: number,
): number {
  const end = finishedAt === null || finishedAt === undefined ? now : new Date(finishedAt).getTime();
  return Math.max(0, end - new Date(startedAt).getTime());
}

export function isOver({ finishedAt }: Pick<Run, 'finishedAt'>): boolean {
  return finishedAt !== null && finishedAt !== undefined;
}

export function hrefOfRun(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}
