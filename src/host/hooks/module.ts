// Webhooks of repositories, organizations and apps.
import type { Module } from '../../kernel/http/module.ts';
import { DELIVER_EVENTS } from '../events/record-event.ts';
import { hookMigrations } from '../migrations/hooks.ts';
import { appHookRoutes } from './app-routes.ts';
import { hookDeliveryRoutes } from './delivery-routes.ts';
import { hookDeliveryPolicy } from './delivery-policy.ts';
import { REMOVE_HOOKS, removeHooks } from './change-hooks.ts';
import { hookRoutes } from './routes.ts';
import { deliverEvents } from './deliver-events.ts';

export const hookModule: Module = {
  tag: {
    name: 'hooks',
    description: 'Webhooks of repositories, organizations and apps, and their deliveries',
  },
  routes: [...hookRoutes, ...hookDeliveryRoutes, ...appHookRoutes],
  migrations: hookMigrations,
  sealedColumns: [{ table: 'host_hooks', column: 'secret', key: ['number'] }],
  deliveryPolicy: hookDeliveryPolicy,
  work: (kernel) => ({
    handlers: { [DELIVER_EVENTS]: deliverEvents(kernel), [REMOVE_HOOKS]: removeHooks(kernel) },
  }),
};
