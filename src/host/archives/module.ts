// Archives of repositories.
import type { Module } from '../../kernel/http/module.ts';
import { archiveRoutes } from './routes.ts';

export const archiveModule: Module = {
  tag: { name: 'archives', description: 'Archives of repositories' },
  routes: archiveRoutes,
};
