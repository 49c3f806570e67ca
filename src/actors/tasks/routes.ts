// Tasks: list, create, get, change, delete, and their runs.
import { accountOf } from '../../kernel/identity/caller.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Route } from '../../kernel/http/route.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { RunSummary } from '../runs/model.ts';
import { LIST_RUNS_QUERY, listRunsPage } from '../runs/routes.ts';
import { ByTask, openTask, taskDenied } from './access.ts';
import { changeTask, createTask, removeTask } from './change-task.ts';
import { CreateTask, ShownTask, TaskSummary, toTaskFields, UpdateTask } from './model.ts';
import { showTask } from './show-task.ts';
import { listTasks } from './store.ts';

const list = route(
  {
    id: 'actorTasks_get',
    method: 'GET',
    path: '/actor-tasks',
    summary: 'List your tasks, oldest first',
    access: { action: 'viewTask' },
    query: LIST_QUERY,
    list: TaskSummary,
  },
  async (call, { db }) => {
    if (!call.can('actor-task/*')) throw taskDenied('viewTask');
    const { desc } = call.query;
    const { id: userId, username } = accountOf(call.caller);
    const slice = listSliceOf(call.query);
    const { items, total } = await listTasks(db, userId, slice, desc);
    const owners = await listAccounts(
      db,
      items.map(({ actorUserId }) => actorUserId),
    );
    const shown = items.map(({ task, actorName, actorUserId }) => ({
      ...toTaskFields(task, username),
      actName: actorName,
      actUsername: owners.get(actorUserId)?.username ?? '',
    }));
    return new Page(shown, total, slice, desc);
  },
);

const create = route(
  {
    id: 'actorTasks_post',
    method: 'POST',
    path: '/actor-tasks',
    summary: 'Create a task',
    description:
      'Of one of your Actors, or of a public one. Without input it gets the values that the input schema fills in for the user, and the defaults.',
    access: { action: 'createTask', others: ['runActor'] },
    body: CreateTask,
    reply: { 201: ShownTask },
  },
  async (call, kernel) => {
    if (!call.can('actor-task/*')) throw taskDenied('createTask');
    return await showTask(kernel, call, await createTask(kernel, call, call.body), 201);
  },
);

const get = route(
  {
    id: 'actorTask_get',
    method: 'GET',
    path: '/actor-tasks/{actorTaskId}',
    summary: 'Get a task with its input',
    access: { action: 'viewTask', ofOwner: true },
    params: ByTask,
    reply: { 200: ShownTask },
  },
  async (call, kernel) =>
    await showTask(kernel, call, await openTask(kernel, call, call.params.actorTaskId, 'viewTask')),
);

const update = route(
  {
    id: 'actorTask_put',
    method: 'PUT',
    path: '/actor-tasks/{actorTaskId}',
    summary: 'Change a task',
    description:
      'What is absent stays as it is, also inside of `options` and `actorStandby`; `input` is replaced as a whole.',
    access: { action: 'updateTask', ofOwner: true },
    params: ByTask,
    body: UpdateTask,
    reply: { 200: ShownTask },
  },
  async (call, kernel) => {
    const opened = await openTask(kernel, call, call.params.actorTaskId, 'updateTask');
    return await showTask(kernel, call, await changeTask(kernel, call, opened, call.body));
  },
);

const remove = route(
  {
    id: 'actorTask_delete',
    method: 'DELETE',
    path: '/actor-tasks/{actorTaskId}',
    summary: 'Delete a task',
    description: 'Its unfinished runs are aborted. Its runs stay.',
    access: { action: 'deleteTask', ofOwner: true },
    params: ByTask,
    reply: { 204: null },
  },
  async (call, kernel) => {
    await removeTask(kernel, call, await openTask(kernel, call, call.params.actorTaskId, 'deleteTask'));
    return reply(204);
  },
);

const listRuns = route(
  {
    id: 'actorTask_runs_get',
    method: 'GET',
    path: '/actor-tasks/{actorTaskId}/runs',
    summary: 'List the runs of a task, oldest first',
    access: { action: 'viewRun', others: ['viewTask'] },
    params: ByTask,
    query: LIST_RUNS_QUERY,
    list: RunSummary,
  },
  async (call, kernel) => {
    call.requirePermission('actor-run/*');
    const { id: taskId } = await openTask(kernel, call, call.params.actorTaskId, 'viewTask');
    return await listRunsPage(kernel, { taskId }, call.query);
  },
);

export const taskRoutes = [list, create, get, update, remove, listRuns] as Route[];
