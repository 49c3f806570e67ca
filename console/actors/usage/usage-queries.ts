// What the page of usage reads.
import { useRead } from '../../api/read.ts';

export interface Used {
  runs: number;
  failed: number;
  durationMs: number;
  computeUnits: number;
}

export interface ActorUsage extends Used {
  id: string;
  name?: string;
  title?: string;
}

export interface DayUsage extends Used {
  day: number;
}

export interface RunUsage {
  total: Used;
  actors: ActorUsage[];
  days: DayUsage[];
  isPartial: boolean;
}

export function useRunUsage(days: string) {
  return useRead<RunUsage>(
    { call: { api: 'signalbox', path: '/runs/usage', query: { days } }, topics: ['run'] },
    { keepsPrevious: true },
  );
}

export interface MemberUse extends Used {
  id: string;
  username?: string;
  name?: string;
  isService?: boolean;
  reads: number;
  writes: number;
  sentBytes: number;
}

export interface MemberUsage {
  total: Used;
  members: MemberUse[];
  isPartial: boolean;
}

/** For those who administer the server. */
export function useMemberUsage(days: string) {
  return useRead<MemberUsage>(
    { call: { api: 'signalbox', path: '/runs/usage/members', query: { days } }, topics: ['run'] },
    { keepsPrevious: true },
  );
}

export interface MonthlyUsage {
  monthlyServiceUsage: Readonly<Record<string, { quantity: number }>>;
}

export function useMonthlyUsage() {
  const { data } = useRead<{ data: MonthlyUsage }>({
    call: { api: 'actors', path: '/users/me/usage/monthly' },
  });
  return data?.data;
}

export interface AccountLimits {
  limits: Readonly<Record<string, number>>;
  current: Readonly<Record<string, number>>;
}

export function useLimits() {
  const { data } = useRead<{ data: AccountLimits }>({
    call: { api: 'actors', path: '/users/me/limits' },
    topics: ['run', 'actor', 'actor-task', 'schedule'],
  });
  return data?.data;
}
