// Events: what feeds show, and what webhooks receive.
import type { Module } from '../../kernel/http/module.ts';
import { ACTIVITY_TAG } from '../activity-tag.ts';
import { hostEventMigrations } from '../migrations/events.ts';
import { feedLinksRoutes } from './feed-links-routes.ts';
import { feedRoutes } from './routes.ts';
import { eventSweep } from './sweep.ts';

export const eventModule: Module = {
  tag: ACTIVITY_TAG,
  routes: [...feedRoutes, ...feedLinksRoutes],
  migrations: hostEventMigrations,
  work: (kernel) => ({ recurring: [eventSweep(kernel)] }),
};
