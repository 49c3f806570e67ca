// Webhooks.
import type { Part } from '../../kernel/part.ts';
import { webhookMigrations } from '../migrations/webhooks.ts';
import { hooks, webhookSubscriber } from './deliver.ts';
import { webhookRoutes } from './routes.ts';

export const webhookPart: Part = {
  tag: { name: 'Webhooks', description: 'Where changes are reported to, and how deliveries went' },
  routes: webhookRoutes,
  migrations: webhookMigrations,
  hooks,
  subscribers: () => [webhookSubscriber()],
};
