// Webhooks as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { flagsWebhookMigrations } from '../migrations/webhooks.ts';
import { flagsDeliveryPolicy, webhookSubscriber } from './deliveries.ts';
import { webhookRoutes } from './routes.ts';

export const webhookModule: Module = {
  tag: { name: 'Webhooks', description: 'Where changes are reported to, and how deliveries went' },
  routes: webhookRoutes,
  migrations: flagsWebhookMigrations,
  deliveryPolicy: flagsDeliveryPolicy,
  subscribers: () => [webhookSubscriber()],
};
