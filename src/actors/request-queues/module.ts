// Request queues.
import { requestQueueMigrations } from '../migrations/request-queues.ts';
import type { StorageKindPart } from '../storages/module.ts';
import { purgeQueue } from './store-writes.ts';
import { requestQueueRoutes } from './routes.ts';

export const requestQueueModule: StorageKindPart = {
  kind: 'request-queue',
  tag: { name: 'Request queues', description: 'Addresses to visit, each given to one client at a time' },
  routes: requestQueueRoutes,
  migrations: requestQueueMigrations,
  purge: ({ engine }, id, signal) => purgeQueue(engine, id, signal),
};
