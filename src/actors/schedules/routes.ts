// Schedules: list, create, get, change, delete, invoke; and their logs.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { Bytes, reply, route, type Route } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { openSchedule, scheduleDenied } from './access.ts';
import { toShownAction } from './action.ts';
import { openInput } from './draft-actions.ts';
import {
  changeSchedule,
  createSchedule,
  removeSchedule,
  type ScheduleWithActions,
} from './change-schedule.ts';
import { invokeSchedule } from './fire-schedule.ts';
import {
  ScheduleShort,
  SentSchedule,
  ShownLogLine,
  ShownSchedule,
  toScheduleShort,
  toShownLogLine,
  toShownSchedule,
} from './model.ts';
import { listSchedules, listLogLines } from './store.ts';
import { listActions, listActionTargets } from './store-actions.ts';

const BySchedule = Type.Object({ scheduleId: Type.String() });

async function show(
  kernel: Pick<Kernel, 'secrets'>,
  { schedule, actions }: ScheduleWithActions,
): Promise<Static<typeof ShownSchedule>> {
  const shown = [];
  for (const action of actions) shown.push(toShownAction(action, await openInput(kernel, action)));
  return toShownSchedule(schedule, shown);
}

const list = route(
  {
    id: 'schedules_get',
    method: 'GET',
    path: '/schedules',
    summary: 'List your schedules, oldest first',
    access: { action: 'viewSchedule' },
    query: LIST_QUERY,
    list: ScheduleShort,
  },
  async (call, { db }) => {
    if (!call.can('schedule/*')) throw scheduleDenied('viewSchedule');
    const { desc } = call.query;
    const slice = listSliceOf(call.query);
    const { items, total } = await listSchedules(db, accountOf(call.caller).id, slice, desc);
    const actions = await listActionTargets(
      db,
      items.map(({ id }) => id),
    );
    return new Page(
      items.map((schedule) => toScheduleShort(schedule, actions.get(schedule.id) ?? [])),
      total,
      slice,
      desc,
    );
  },
);

const create = route(
  {
    id: 'schedules_post',
    method: 'POST',
    path: '/schedules',
    summary: 'Create a schedule',
    description:
      'Everything has a default, the name too: a schedule without anything else is disabled, and would fire at every midnight in UTC. ' +
      'Its runs have the permissions of the member who created it or changed it last.',
    access: { action: 'createSchedule' },
    body: SentSchedule,
    bodyIsOptional: true,
    reply: { 201: ShownSchedule },
  },
  async (call, kernel) => {
    if (!call.can('schedule/*')) throw scheduleDenied('createSchedule');
    const created = await createSchedule(kernel, call, call.body ?? {});
    const location = `${call.base}/schedules/${created.schedule.id}`;
    return reply(201, await show(kernel, created), { location });
  },
);

const get = route(
  {
    id: 'schedule_get',
    method: 'GET',
    path: '/schedules/{scheduleId}',
    summary: 'Get a schedule with its actions',
    access: { action: 'viewSchedule' },
    params: BySchedule,
    reply: { 200: ShownSchedule },
  },
  async (call, kernel) => {
    const schedule = await openSchedule(kernel, call, call.params.scheduleId, 'viewSchedule');
    return await show(kernel, { schedule, actions: await listActions(kernel.db, schedule.id) });
  },
);

const update = route(
  {
    id: 'schedule_put',
    method: 'PUT',
    path: '/schedules/{scheduleId}',
    summary: 'Change a schedule',
    description: 'What is absent stays as it is; the list of actions is replaced as a whole.',
    access: { action: 'updateSchedule' },
    params: BySchedule,
    body: SentSchedule,
    reply: { 200: ShownSchedule },
  },
  async (call, kernel) => {
    const opened = await openSchedule(kernel, call, call.params.scheduleId, 'updateSchedule');
    return await show(kernel, await changeSchedule(kernel, call, opened, call.body));
  },
);

const remove = route(
  {
    id: 'schedule_delete',
    method: 'DELETE',
    path: '/schedules/{scheduleId}',
    summary: 'Delete a schedule with its log; its runs stay',
    access: { action: 'deleteSchedule' },
    params: BySchedule,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const opened = await openSchedule(kernel, call, call.params.scheduleId, 'deleteSchedule');
    await removeSchedule(kernel, call, opened);
    return reply(204);
  },
);

const getLog = route(
  {
    id: 'schedule_log_get',
    method: 'GET',
    path: '/schedules/{scheduleId}/log',
    summary: 'Get the newest 1000 lines of the log of a schedule, oldest first',
    access: { action: 'viewSchedule' },
    params: BySchedule,
    reply: { 200: Type.Array(ShownLogLine) },
  },
  async (call, kernel) => {
    const { id } = await openSchedule(kernel, call, call.params.scheduleId, 'viewSchedule');
    return (await listLogLines(kernel.db, id)).map(toShownLogLine);
  },
);

const invoke = route(
  {
    id: 'schedule_invoke_post',
    method: 'POST',
    path: '/schedules/{scheduleId}/invoke',
    summary: 'Fire a schedule now, whether or not it is enabled',
    description:
      'The runs have the permissions of the caller. What cannot be started is in the log of the schedule. The times of the schedule stay as they are.',
    access: { action: 'runSchedule' },
    params: BySchedule,
    isData: true,
    produces: 'application/json',
    reply: { 201: Type.Object({}) },
  },
  async (call, kernel) => {
    const schedule = await openSchedule(kernel, call, call.params.scheduleId, 'runSchedule');
    await invokeSchedule(kernel, schedule, call.caller);
    return new Bytes(Buffer.from('{}'), { 'content-type': 'application/json; charset=utf-8' }, 201);
  },
);

export const scheduleRoutes = [list, create, get, update, remove, getLog, invoke] as Route[];
