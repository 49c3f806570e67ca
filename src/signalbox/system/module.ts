// The state of the server, for administrators.
import type { Module } from '../../kernel/http/module.ts';
import { DISK_NODE, startDiskUse } from './disk-use.ts';
import { diskUseMigrations } from './disk-use-store.ts';
import { systemRoutes } from './routes.ts';

export const systemModule: Module = {
  tag: { name: 'System', description: 'The state of the server, for administrators' },
  routes: systemRoutes,
  migrations: diskUseMigrations,
  start: (kernel) => Promise.resolve(startDiskUse(kernel, DISK_NODE)),
};
