// Links of flags to external resources.
import type { Part } from '../../kernel/module.ts';
import { flagLinkMigrations } from '../migrations/flag-links.ts';
import { flagLinkRoutes } from './routes.ts';

export const flagLinkPart: Part = {
  tag: { name: 'Flag links', description: 'Links from flags to what is outside' },
  routes: flagLinkRoutes,
  migrations: flagLinkMigrations,
};
