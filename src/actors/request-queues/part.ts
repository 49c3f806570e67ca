// Request queues.
import { requestQueueMigrations } from '../migrations/request-queues.ts';
import type { StorageKindPart } from '../storages/part.ts';
import { purgeQueue } from './purge.ts';
import { requestQueueRoutes } from './routes.ts';

export const requestQueuePart: StorageKindPart = {
  kind: 'request-queue',
  routes: requestQueueRoutes,
  migrations: requestQueueMigrations,
  purge: ({ engine }, id, signal) => purgeQueue(engine, id, signal),
};
