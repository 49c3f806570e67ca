// Webhooks of repositories and organizations.
import type { Part } from '../../kernel/part.ts';
import { TELL_HOOKS } from '../events/record-event.ts';
import { hookMigrations } from '../migrations/hooks.ts';
import { hookDeliveryRoutes } from './delivery-routes.ts';
import { hookDispatches } from './dispatch-port.ts';
import { REMOVE_HOOKS, removeHooks } from './remove-hooks.ts';
import { hookRoutes } from './routes.ts';
import { tellHooks } from './tell-hooks.ts';

export const hookPart: Part = {
  tag: { name: 'hooks', description: 'Webhooks of repositories and organizations, and their deliveries' },
  routes: [...hookRoutes, ...hookDeliveryRoutes],
  migrations: hookMigrations,
  dispatches: hookDispatches,
  work: (kernel) => ({
    handlers: { [TELL_HOOKS]: tellHooks(kernel), [REMOVE_HOOKS]: removeHooks(kernel) },
  }),
};
