// Context kinds as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { contextKindMigrations } from '../migrations/context-kinds.ts';
import { contextKindRoutes } from './routes.ts';

export const contextKindPart: Part = {
  tag: { name: 'Context kinds', description: 'The kinds of contexts that a project knows' },
  routes: contextKindRoutes,
  migrations: contextKindMigrations,
};
