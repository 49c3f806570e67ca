// Webhooks as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { flagsWebhookMigrations } from '../migrations/webhooks.ts';
import { flagsHooks, webhookSubscriber } from './subscriber.ts';
import { webhookRoutes } from './routes.ts';

export const webhookPart: Part = {
  tag: { name: 'Webhooks', description: 'Where changes are reported to, and how deliveries went' },
  routes: webhookRoutes,
  migrations: flagsWebhookMigrations,
  hooks: flagsHooks,
  subscribers: () => [webhookSubscriber()],
};
