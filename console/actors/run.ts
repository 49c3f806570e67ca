// A run as the Actors API has it.
import type { IconName } from '../ui/icon.tsx';
import type { StatusTone } from '../ui/status.tsx';

export type RunStatus =
  | 'READY'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'TIMING-OUT'
  | 'TIMED-OUT'
  | 'ABORTING'
  | 'ABORTED';

export interface Run {
  id: string;
  actId: string;
  actorTaskId?: string | null;
  startedAt: string;
  finishedAt?: string | null;
  status: RunStatus;
  meta: { origin: string };
  buildNumber?: string;
}

export interface RunDetail extends Run {
  statusMessage?: string | null;
  exitCode?: number | null;
  buildId: string;
  stats: { memMaxBytes?: number; cpuAvgUsage?: number; restartCount: number; resurrectCount: number };
  options: { build: string; timeoutSecs: number; memoryMbytes: number; diskMbytes?: number };
  defaultDatasetId: string;
  defaultKeyValueStoreId: string;
  defaultRequestQueueId: string;
}

export const STATUS_LOOK: Readonly<Record<RunStatus, { tone: StatusTone; icon?: IconName }>> = {
  READY: { tone: 'neutral' },
  RUNNING: { tone: 'run' },
  SUCCEEDED: { tone: 'ok' },
  FAILED: { tone: 'bad' },
  'TIMING-OUT': { tone: 'warn', icon: 'hour' },
  'TIMED-OUT': { tone: 'warn', icon: 'hour' },
  ABORTING: { tone: 'neutral', icon: 'square' },
  ABORTED: { tone: 'neutral', icon: 'square' },
};

/** In milliseconds; up to now while it runs. */
export function durationOf({ startedAt, finishedAt }: Run, now: number): number {
  const end = finishedAt === null || finishedAt === undefined ? now : new Date(finishedAt).getTime();
  return Math.max(0, end - new Date(startedAt).getTime());
}

export function isOver({ finishedAt }: Run): boolean {
  return finishedAt !== null && finishedAt !== undefined;
}
