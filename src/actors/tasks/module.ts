// Tasks.
import type { Module } from '../../kernel/http/module.ts';
import { taskMigrations } from '../migrations/tasks.ts';
import { RUN_STORAGES_TAG } from '../runs/route-aliases.ts';
import { taskWork } from './change-task.ts';
import { taskRoutes, lastTaskRunRoutes, lastTaskRunStorageRoutes, taskStartRoutes } from './routes.ts';
import { transferTasks } from './store-transfers.ts';

export const taskModule: Module = {
  tag: { name: 'Tasks', description: 'Saved options and input of Actors' },
  routes: [...taskRoutes, ...taskStartRoutes, ...lastTaskRunRoutes],
  migrations: taskMigrations,
  boundaryUsers: ['tasks'],
  transferOwnership: transferTasks,
  work: taskWork,
};

/** Described with the storages of other runs. */
export const taskStorageModule: Module = { tag: RUN_STORAGES_TAG, routes: lastTaskRunStorageRoutes };
