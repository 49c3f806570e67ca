// Webhooks as a part of the Actors API.
import type { Part } from '../../kernel/module.ts';
import { actorWebhookMigrations } from '../migrations/webhooks.ts';
import { actorDispatches } from './dispatch-port.ts';
import { dispatchRoutes } from './dispatch-routes.ts';
import { handOverWebhooks } from './hand-over.ts';
import { actorWebhookRoutes } from './routes.ts';

export const actorWebhookPart: Part = {
  tag: {
    name: 'Webhooks',
    description: 'Where events of runs and builds are sent to, and the dispatches that went there',
  },
  routes: [...actorWebhookRoutes, ...dispatchRoutes],
  migrations: actorWebhookMigrations,
  handOver: handOverWebhooks,
  dispatches: actorDispatches,
};
