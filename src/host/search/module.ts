// Search.
import type { Module } from '../../kernel/http/module.ts';
import { searchRoutes } from './routes.ts';

export const searchModule: Module = {
  tag: { name: 'search', description: 'Search' },
  routes: searchRoutes,
};
