// Webhooks as a module of the Actors API.
import type { Module } from '../../kernel/http/module.ts';
import { actorWebhookMigrations } from '../migrations/webhooks.ts';
import { actorDeliveryPolicy } from './delivery-policy.ts';
import { dispatchRoutes } from './dispatch-routes.ts';
import { transferWebhooks } from './change-webhook.ts';
import { actorWebhookRoutes } from './routes.ts';

export const actorWebhookModule: Module = {
  tag: {
    name: 'Webhooks',
    description: 'Where events of runs and builds are sent to, and the dispatches that went there',
  },
  routes: [...actorWebhookRoutes, ...dispatchRoutes],
  migrations: actorWebhookMigrations,
  transferOwnership: transferWebhooks,
  deliveryPolicy: actorDeliveryPolicy,
};
