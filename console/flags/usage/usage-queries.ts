// What the tab of usage reads.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { FlagStatusRep } from '../../api/types/flags.ts';
import type { FlagUsageReport } from '../../api/types/signalbox.ts';

export type FlagStatus = FlagStatusRep;
export type DayCount = FlagUsageReport['days'][number];

export function useFlagStatuses(project: string, flag: string) {
  return useRead<{ environments: Record<string, FlagStatus> }>({
    call: { api: 'flags', path: path`/flag-status/${project}/${flag}` },
    topics: ['flag'],
  });
}

export function useFlagUsage(project: string, flag: string, environment: string, days: number) {
  return useRead<FlagUsageReport>(
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
