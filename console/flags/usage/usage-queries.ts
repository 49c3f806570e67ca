// What the tab of usage reads.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';

export interface FlagStatus {
  name: string;
  lastRequested?: string;
  default?: unknown;
}

export interface DayCount {
  /** The beginning of the day in UTC. */
  at: number;
  /** Absent where the code got its own default. */
  variation?: number;
  count: number;
}

export interface FlagUsage {
  since: number;
  days: DayCount[];
  sdks: { name: string; version?: string; lastSeen: number; count: number }[];
  isComplete: boolean;
}

export function useFlagStatuses(project: string, flag: string) {
  return useRead<{ environments: Record<string, FlagStatus> }>({
    call: { api: 'flags', path: path`/flag-status/${project}/${flag}` },
    topics: ['flag'],
  });
}

export function useFlagUsage(project: string, flag: string, environment: string, days: number) {
  return useRead<FlagUsage>(
    {
      call: {
        api: 'signalbox',
        path: path`/projects/${project}/flags/${flag}/usage`,
        query: { environment, days },
      },
    },
    { keepsPrevious: true },
  );
}
