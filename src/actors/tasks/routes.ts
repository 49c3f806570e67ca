// Tasks: list, create, get, change, delete, their saved inputs, which have no envelope, and their runs.
import { accountOf } from '../../kernel/identity/caller.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Route, JsonText, type Reply, Bytes } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Failure } from '../../kernel/failure.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { RunSummary } from '../runs/model.ts';
import { LIST_RUNS_QUERY, listRunsPage } from '../runs/routes.ts';
import { standbyUrlOf } from '../standby/model.ts';
import { isJson } from '../input/input-json.ts';
import { withSentInput } from '../input/prepare-input.ts';
import { lastRunRoutesOf, lastRunBase, storageAliases } from '../runs/route-aliases.ts';
import { startRoutesOf } from '../runs/start-routes.ts';
import { ByTask, openTask, taskDenied, taskNotFound, type TaskCall } from './access.ts';
import { changeTask, createTask, removeTask, changeTaskInput } from './change-task.ts';
import {
  CreateTask,
  ShownTask,
  TaskSummary,
  toTaskFields,
  UpdateTask,
  toShownTask,
  type Task,
} from './model.ts';
import { listTasks, findTaskInput } from './store.ts';
import { startTaskRun } from './start-task-run.ts';

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

/** The input is put in as text: it may have megabytes. */
async function showTask(
  { db, publicUrl }: Pick<Kernel, 'db' | 'publicUrl'>,
  { caller }: TaskCall,
  task: Task,
  status = 200,
): Promise<Reply> {
  const input = await findTaskInput(db, task.id);
  if (input === undefined) throw taskNotFound();
  const { username } = accountOf(caller);
  const shown = JSON.stringify(toShownTask(task, username, standbyUrlOf(publicUrl, username, task.name)));
  return reply(status, new JsonText(`${shown.slice(0, -1)},"input":${input}}`));
}

const SavedInput = Type.Record(Type.String(), Type.Unknown());
const BARE = { params: ByTask, produces: 'application/json', reply: { 200: SavedInput } } as const;

const getInput = route(
  {
    ...BARE,
    id: 'actorTask_input_get',
    method: 'GET',
    path: '/actor-tasks/{actorTaskId}/input',
    summary: 'Get the input of a task',
    access: { action: 'viewTask', ofOwner: true },
  },
  async (call, kernel) => {
    const { id } = await openTask(kernel, call, call.params.actorTaskId, 'viewTask');
    const input = await findTaskInput(kernel.db, id);
    if (input === undefined) throw taskNotFound();
    return replyWithInput(input);
  },
);

const putInput = route(
  {
    ...BARE,
    id: 'actorTask_input_put',
    method: 'PUT',
    path: '/actor-tasks/{actorTaskId}/input',
    summary: 'Change fields of the input of a task',
    description:
      'The fields of the body replace those of the input; others stay. The reply is the whole input.',
    access: { action: 'updateTask', ofOwner: true },
    streams: true,
    consumes: () => ({ 'application/json': SavedInput }),
  },
  async (call, kernel) => {
    const task = await openTask(kernel, call, call.params.actorTaskId, 'updateTask');
    return await withSentInput(kernel, call, async ({ body, contentType }) => {
      if (body === undefined) throw problem('body', 'must be a JSON object');
      if (!isJson(contentType ?? '')) throw wrongInputType(contentType);
      return replyWithInput(await changeTaskInput(kernel, call, task, body));
    });
  },
);

function replyWithInput(input: string): Bytes {
  return new Bytes(Buffer.from(input), { 'content-type': 'application/json; charset=utf-8' });
}

function wrongInputType(contentType: string | undefined): Failure {
  return new Failure(
    'malformed',
    `The Content-Type must be application/json, not ${contentType ?? 'absent'}.`,
    { code: 'invalid-content-type-header' },
  );
}

export const taskRoutes = [
  list,
  create,
  get,
  update,
  remove,
  listRuns,
  getInput,
  putInput,
] as unknown as Route[];

export const taskStartRoutes = startRoutesOf({
  path: '/actor-tasks/{actorTaskId}',
  id: 'actorTask',
  what: 'a task',
  params: ByTask,
  access: { action: 'runTask', ofOwner: true },
  input: Type.Record(Type.String(), Type.Unknown(), {
    description: 'JSON: its fields replace those of the saved input',
  }),
  open: (kernel, call) => openTask(kernel, call, call.params['actorTaskId']!, 'runTask'),
  start: (kernel, task, asked, now) => startTaskRun(kernel, { ...asked, task }, now),
});

const OF_LAST_RUN_OF_TASK = lastRunBase(
  {
    path: '/actor-tasks/{actorTaskId}/runs/last',
    id: 'actorTask_runs_last',
    of: "of the task's last run",
    params: ByTask,
  },
  async (call, kernel) => {
    const { id: taskId } = await openTask(kernel, call, call.params['actorTaskId']!, 'viewTask');
    return { taskId };
  },
);

export const lastTaskRunRoutes = lastRunRoutesOf(OF_LAST_RUN_OF_TASK);

export const lastTaskRunStorageRoutes = storageAliases(OF_LAST_RUN_OF_TASK);
