// Webhooks and integrations of the flag service: how they fare, their deliveries, and tests.
import type { Module } from '../../kernel/http/module.ts';
import { webhookDeliveryRoutes } from './delivery-routes.ts';
import { flagWebhookRoutes } from './routes.ts';

export const flagWebhookModule: Module = {
  tag: {
    name: 'Webhooks',
    description: "Deliveries of the flag service's webhooks and integrations, with their attempts",
  },
  routes: [...flagWebhookRoutes, ...webhookDeliveryRoutes],
};
