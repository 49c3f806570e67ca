// Request queues.
import type { Part } from '../../kernel/part.ts';
import { requestQueueMigrations } from '../migrations/request-queues.ts';
import { requestQueueRoutes } from './routes.ts';

export const requestQueuePart: Part = {
  routes: requestQueueRoutes,
  migrations: requestQueueMigrations,
};
