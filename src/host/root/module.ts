// The API root.
import type { Module } from '../../kernel/http/module.ts';
import { rootRoutes } from './routes.ts';

export const rootModule: Module = {
  tag: { name: 'root', description: 'The entry point' },
  routes: rootRoutes,
};
