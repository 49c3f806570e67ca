// Context kinds as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { contextKindMigrations } from '../migrations/context-kinds.ts';
import { contextKindRoutes } from './routes.ts';

export const contextKindModule: Module = {
  tag: { name: 'Context kinds', description: 'The kinds of contexts that a project knows' },
  routes: contextKindRoutes,
  migrations: contextKindMigrations,
};
