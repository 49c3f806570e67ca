// One search over everything.
import type { Module } from '../../kernel/http/module.ts';
import { searchMigrations } from '../migrations/search.ts';
import { startIndexing } from './indexer.ts';
import { globalSearchRoutes } from './routes.ts';

export const globalSearchModule: Module = {
  tag: { name: 'Search', description: 'Things of all APIs, by their names' },
  routes: globalSearchRoutes,
  migrations: searchMigrations,
  start: (kernel) => Promise.resolve(startIndexing(kernel)),
};
