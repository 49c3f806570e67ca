// Webhooks.
import type { Part } from '../../kernel/part.ts';
import { webhookMigrations } from '../migrations/webhooks.ts';
import { hooks, webhookSubscriber } from './deliver.ts';
import { webhookRoutes } from './routes.ts';

export const webhookPart: Part = {
  routes: webhookRoutes,
  migrations: webhookMigrations,
  hooks,
  subscribers: () => [webhookSubscriber()],
};
