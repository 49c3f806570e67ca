// The calls that run a task, and those about its last run.
import { Type } from '../../kernel/schema/schema.ts';
import { lastRunRoutesOf, lastRunBase, storageAliases } from '../runs/route-aliases.ts';
import { startRoutesOf } from '../runs/start-routes.ts';
import { ByTask, openTask } from './access.ts';
import { startTaskRun } from './start-task-run.ts';

export const taskStartRoutes = startRoutesOf({
  path: '/actor-tasks/{actorTaskId}',
  id: 'actorTask',
  what: 'a task',
  params: ByTask,
  access: { action: 'runTask', ofOwner: true },
  input: Type.Record(Type.String(), Type.Unknown(), {
    description: 'JSON: its fields replace those of the saved input',
  }),
  async open(kernel, call) {
    const task = await openTask(kernel, call, call.params['actorTaskId']!, 'runTask');
    return (asked, now) => startTaskRun(kernel, { ...asked, task }, now);
  },
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
