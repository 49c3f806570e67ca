// What the pages of schedules read and change.
import { path, type Call } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import type { OwnOptions } from '../input/own-options.tsx';
import type { InputObject } from '../input/secrets.ts';
import type { ListBody } from '../queries.ts';

export interface ScheduleAction {
  /** Absent until it is saved. */
  id?: string;
  type: 'RUN_ACTOR' | 'RUN_ACTOR_TASK';
  actorId?: string;
  actorTaskId?: string;
  runInput?: { body?: string | null; contentType?: string | null } | null;
  runOptions?: Partial<OwnOptions> | null;
  input?: InputObject | null;
}

export interface ScheduleShort {
  id: string;
  name: string;
  title?: string | null;
  cronExpression: string;
  timezone: string;
  isEnabled: boolean;
  isExclusive: boolean;
  createdAt: string;
  modifiedAt: string;
  nextRunAt?: string | null;
  lastRunAt?: string | null;
  actions: ScheduleAction[];
}

export interface ScheduleDetail extends ScheduleShort {
  description?: string | null;
}

export interface ScheduleFields {
  name?: string;
  title?: string | null;
  description?: string | null;
  cronExpression?: string;
  timezone?: string;
  isEnabled?: boolean;
  isExclusive?: boolean;
  actions?: ScheduleAction[];
}

export interface ComingRuns {
  id: string;
  sentence: string;
  times: number[];
  isFrequent: boolean;
  lastDurationMs?: number;
}

export interface CronTime {
  at: number;
  local: string;
  utcOffset: string;
  clocks?: 'forward' | 'back';
  note?: 'skipped' | 'twice';
}

export interface CronPreview {
  sentence: string;
  timezone: string;
  times: CronTime[];
}

export interface ScheduleLogLine {
  message: string;
  level: 'INFO' | 'WARNING' | 'ERROR';
  createdAt: string;
}

const CHANGED = ['schedule'];
/** An account has a hundred at most. */
const MOST = 1000;

export function useSchedules() {
  const { data, ...rest } = useRead<ListBody<ScheduleShort>>({
    call: { api: 'actors', path: '/schedules', query: { desc: true, limit: MOST } },
    topics: [...CHANGED, 'run'],
  });
  return { schedules: data?.data.items, ...rest };
}

export function useSchedule(id: string) {
  const { data, ...rest } = useRead<{ data: ScheduleDetail }>({
    call: { api: 'actors', path: path`/schedules/${id}` },
    topics: CHANGED,
  });
  return { schedule: data?.data, ...rest };
}

/** Without a span, of the next seven days. */
export function useComingRuns(span: { from?: number; to?: number } = {}) {
  return useRead<{ items: ComingRuns[] }>(
    { call: { api: 'signalbox', path: '/schedules/coming', query: span }, topics: [...CHANGED, 'run'] },
    { keepsPrevious: true },
  );
}

export function useCronPreview(expression: string, timezone: string, count: number) {
  return useRead<CronPreview>(
    {
      call: {
        api: 'signalbox',
        method: 'POST',
        path: '/cron/preview',
        body: { expression, timezone, count },
      },
    },
    { isEnabled: expression !== '' && timezone !== '', keepsPrevious: true },
  );
}

export function useScheduleLog(id: string) {
  const { data, ...rest } = useRead<{ data: ScheduleLogLine[] }>({
    call: { api: 'actors', path: path`/schedules/${id}/log` },
    topics: [...CHANGED, 'run'],
  });
  return { lines: data?.data, ...rest };
}

/** Inputs of actions may have secrets in them, so the API drawer does not show them. */
export function saveScheduleCall(id: string | undefined, body: ScheduleFields): Call {
  return id === undefined
    ? { api: 'actors', method: 'POST', path: '/schedules', body, secretFields: ['actions'] }
    : { api: 'actors', method: 'PUT', path: path`/schedules/${id}`, body, secretFields: ['actions'] };
}

export function switchCall(id: string, isEnabled: boolean): Call {
  return { api: 'actors', method: 'PUT', path: path`/schedules/${id}`, body: { isEnabled } };
}

export function useSwitchSchedule(id: string) {
  return useChange<boolean>((isEnabled) => switchCall(id, isEnabled), CHANGED);
}

export function useFire(id: string) {
  return useChange<void>(
    () => ({ api: 'actors', method: 'POST', path: path`/schedules/${id}/invoke` }),
    [...CHANGED, 'run'],
  );
}

export function useDeleteSchedule(id: string) {
  return useChange<void>(() => ({ api: 'actors', method: 'DELETE', path: path`/schedules/${id}` }), CHANGED);
}

export function hrefOfSchedule(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}

export function nameOfSchedule({ title, name }: Pick<ScheduleShort, 'title' | 'name'>): string {
  return title || name;
}
