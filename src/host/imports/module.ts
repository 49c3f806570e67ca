// Imports of issues and pull requests from other servers.
import type { Module } from '../../kernel/http/module.ts';
import { importMigrations } from '../migrations/imports.ts';
import { importRoutes } from './routes.ts';

export const importModule: Module = {
  tag: { name: 'imports', description: 'Issues and pull requests from other servers' },
  routes: importRoutes,
  migrations: importMigrations,
};
