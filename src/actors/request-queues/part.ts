// Request queues.
import type { Part } from '../../kernel/part.ts';
import { requestQueueMigrations } from '../migrations/request-queues.ts';
import { requestQueueRoutes } from './routes.ts';

export const requestQueuePart: Part = {
  tag: { name: 'Request queues', description: 'Addresses to visit, each given to one client at a time' },
  routes: requestQueueRoutes,
  migrations: requestQueueMigrations,
};
