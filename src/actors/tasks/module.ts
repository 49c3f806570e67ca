// Tasks.
import type { Module } from '../../kernel/http/module.ts';
import type { Route } from '../../kernel/http/route.ts';
import { taskMigrations } from '../migrations/tasks.ts';
import { RUN_STORAGES_TAG } from '../runs/run-storages.ts';
import { taskWork } from './abort-runs.ts';
import { taskInputRoutes } from './input-routes.ts';
import { taskRoutes } from './routes.ts';
import { transferTasks } from './store-transfers.ts';
import { lastTaskRunRoutes, lastTaskRunStorageRoutes, taskStartRoutes } from './run-routes.ts';

export const taskModule: Module = {
  tag: { name: 'Tasks', description: 'Saved options and input of Actors' },
  routes: [
    ...taskRoutes,
    ...(taskInputRoutes as unknown as Route[]),
    ...taskStartRoutes,
    ...lastTaskRunRoutes,
  ],
  migrations: taskMigrations,
  boundaryUsers: ['tasks'],
  transferOwnership: transferTasks,
  work: taskWork,
};

/** Described with the storages of other runs. */
export const taskStorageModule: Module = { tag: RUN_STORAGES_TAG, routes: lastTaskRunStorageRoutes };
