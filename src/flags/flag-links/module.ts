// Links of flags to external resources.
import type { Module } from '../../kernel/http/module.ts';
import { flagLinkMigrations } from '../migrations/flag-links.ts';
import { flagLinkRoutes } from './routes.ts';

export const flagLinkModule: Module = {
  tag: { name: 'Flag links', description: 'Links from flags to what is outside' },
  routes: flagLinkRoutes,
  migrations: flagLinkMigrations,
};
