// What the pages of tasks read and change.
import { useEffect } from 'react';
import { path, type Call } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import type { OwnOptions } from '../input/own-options.tsx';
import type { InputObject } from '../input/secrets.ts';
import type { ListBody } from '../queries.ts';
import type { Run, RunDetail } from '../run.ts';

export interface TaskShort {
  id: string;
  actId: string;
  name: string;
  username: string;
  title?: string | null;
  createdAt: string;
  modifiedAt: string;
  stats: { totalRuns: number; lastRunStartedAt?: string };
  actName: string;
  actUsername: string;
}

export interface TaskDetail extends Omit<TaskShort, 'actName' | 'actUsername'> {
  description?: string | null;
  options: OwnOptions & { maxTotalChargeUsd: number | null };
  input: InputObject;
}

/** Of the stream, and of changes made here. */
const CHANGED = ['actor-task'];

const PAGE = 1000;
const idOf = ({ id }: TaskShort) => id;

/** All tasks of the caller, page after page: the API has no filter, so the pages of tasks filter them here. */
export function useTasks() {
  const list = useListPages<ListBody<TaskShort>, TaskShort>({
    call: { api: 'actors', path: '/actor-tasks', query: { desc: true } },
    topics: [...CHANGED, 'run'],
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => offsetPage(items, total, offset),
    idOf,
  });
  const { hasMore, isReadingMore, readMore } = list;
  useEffect(() => {
    if (hasMore && !isReadingMore) readMore();
    // The function is another at each drawing.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [hasMore, isReadingMore]);
  return list;
}

export function useTask(id: string) {
  const { data, ...rest } = useRead<{ data: TaskDetail }>({
    call: { api: 'actors', path: path`/actor-tasks/${id}` },
    topics: CHANGED,
  });
  return { task: data?.data, ...rest };
}

export function useLastRun({ id, stats }: Pick<TaskShort, 'id' | 'stats'>) {
  const { data } = useRead<ListBody<Run>>(
    {
      call: { api: 'actors', path: path`/actor-tasks/${id}/runs`, query: { desc: true, limit: 1 } },
      topics: ['run'],
    },
    { isEnabled: stats.totalRuns > 0 },
  );
  return data?.data.items[0];
}

const RUNS_PAGE = 50;
const idOfRun = ({ id }: Run) => id;

export function useTaskRuns(id: string) {
  return useListPages<ListBody<Run>, Run>({
    call: { api: 'actors', path: path`/actor-tasks/${id}/runs`, query: { desc: true } },
    topics: ['run'],
    first: 0,
    pageQuery: (offset) => ({ limit: RUNS_PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => offsetPage(items, total, offset),
    idOf: idOfRun,
  });
}

export interface NewTask {
  actId: string;
  name?: string;
  title?: string | null;
  description?: string | null;
  options?: Partial<TaskDetail['options']>;
  input?: InputObject;
}

export function createTaskCall(body: NewTask): Call {
  return { api: 'actors', method: 'POST', path: '/actor-tasks', body };
}

export function changeTaskCall(id: string, body: Partial<Omit<NewTask, 'actId'>>): Call {
  return { api: 'actors', method: 'PUT', path: path`/actor-tasks/${id}`, body };
}

export function useCreateTask() {
  return useChange<NewTask, { data: TaskDetail }>(createTaskCall, CHANGED);
}

export function useChangeTask(id: string) {
  return useChange<Partial<Omit<NewTask, 'actId'>>, { data: TaskDetail }>(
    (body) => changeTaskCall(id, body),
    CHANGED,
  );
}

export function useDeleteTask(id: string) {
  return useChange<void>(
    () => ({ api: 'actors', method: 'DELETE', path: path`/actor-tasks/${id}` }),
    [...CHANGED, 'run'],
  );
}

/** With what is saved. */
export function runTaskCall(id: string): Call {
  return { api: 'actors', method: 'POST', path: path`/actor-tasks/${id}/runs` };
}

export function useRunTask() {
  return useChange<string, { data: RunDetail }>(runTaskCall, ['run', ...CHANGED]);
}

export function hrefOfTask(id: string, tab = ''): string {
  return `/tasks/${encodeURIComponent(id)}${tab === '' ? '' : `/${tab}`}`;
}

export interface ScheduleUse {
  id: string;
  name: string;
  title?: string | null;
  isEnabled: boolean;
  nextRunAt?: string | null;
  actions: { actorTaskId?: string }[];
}

const MAX_SCHEDULES = 1000;

/** The schedules of the caller by the tasks that they start. An account has a hundred at most. */
export function useSchedulesOfTasks(): ReadonlyMap<string, ScheduleUse[]> {
  const { data } = useRead<ListBody<ScheduleUse>>({
    call: { api: 'actors', path: '/schedules', query: { limit: MAX_SCHEDULES } },
    topics: ['schedule'],
  });
  const byTask = new Map<string, ScheduleUse[]>();
  for (const schedule of data?.data.items ?? [])
    for (const id of new Set(schedule.actions.flatMap(({ actorTaskId }) => actorTaskId ?? [])))
      byTask.set(id, [...(byTask.get(id) ?? []), schedule]);
  return byTask;
}
