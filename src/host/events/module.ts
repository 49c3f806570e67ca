// Events: what feeds show, and what webhooks receive.
import type { Module, Tag } from '../../kernel/http/module.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import { retentionSweep } from '../../kernel/jobs/retention.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { hostEventMigrations } from '../migrations/events.ts';
import { feedLinksRoutes, feedRoutes } from './routes.ts';
import { deleteEventsBefore } from './store-feeds.ts';

/** The heading of events, stars and watches in the description of the API. */
export const ACTIVITY_TAG: Tag = { name: 'activity', description: 'Events, stars and watched repositories' };

export const eventModule: Module = {
  tag: ACTIVITY_TAG,
  routes: [...feedRoutes, ...feedLinksRoutes],
  migrations: hostEventMigrations,
  work: (kernel) => ({ recurring: [eventSweep(kernel)] }),
};

const BATCH_SIZE = 500;

/** Deletes events that are older than feeds go back. */
export function eventSweep(kernel: Kernel): RecurringWork {
  return retentionSweep(kernel, {
    kind: 'host.sweep-events',
    retained: 'events',
    deleteBefore: (before) => deleteEventsBefore(kernel.db, before, BATCH_SIZE),
  });
}
