// Request queues: what all storages have, and their requests, head and locks.
import type { Route } from '../../kernel/http/route.ts';
import { toListedName } from '../storages/model.ts';
import { storageRoutes, type StorageType } from '../storages/routes.ts';
import { headRoutes } from './head-routes.ts';
import { QueueSummary, RequestQueue, toQueueSummary } from './model.ts';
import { requestRoutes } from './request-routes.ts';
import { batchRoutes } from './batch-routes.ts';
import { insertQueue, findQueues, findQueueWithUsage } from './store.ts';

const requestQueues: StorageType = {
  kind: 'request-queue',
  path: '/request-queues',
  id: 'requestQueue',
  Detail: RequestQueue,
  Summary: QueueSummary,
  insertRows: (tx, { id, createdAt }) => insertQueue(tx, id, createdAt),
  async detail(storage, { services, publicUrl }) {
    const row = await findQueueWithUsage(services.queues, storage.id);
    const consoleUrl = `${publicUrl}/storage/request-queues/${storage.id}`;
    return { ...toQueueSummary(storage, row), consoleUrl };
  },
  async summaries(storages, { db }) {
    const rows = await findQueues(
      db,
      storages.map(({ id }) => id),
    );
    return storages.flatMap((storage) => {
      const row = rows.get(storage.id);
      return row === undefined ? [] : [toListedName(toQueueSummary(storage, row))];
    });
  },
};

export const requestQueueRoutes: Route[] = [
  ...storageRoutes(requestQueues),
  ...requestRoutes,
  ...batchRoutes,
  ...headRoutes,
];
