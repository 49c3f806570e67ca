// Events: what feeds show, and what webhooks receive.
import type { Module, Tag } from '../../kernel/http/module.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
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

const HOUR = 60 * 60 * 1000;
const KEPT_MS = 90 * 24 * HOUR;
const BATCH_SIZE = 500;

/** Deletes events that are older than feeds go back. */
export function eventSweep({ db, clock }: Kernel): RecurringWork {
  return {
    kind: 'host.sweep-events',
    everyMs: HOUR,
    async run(signal) {
      let deleted: number;
      do {
        deleted = await deleteEventsBefore(db, clock.now() - KEPT_MS, BATCH_SIZE);
      } while (deleted > 0 && !signal.aborted);
    },
  };
}
