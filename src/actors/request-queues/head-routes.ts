// The head of a queue: look at it, or take requests from it under lock.
import { READING, WRITING } from '../storages/access.ts';
import { clampLimit } from '../../kernel/page.ts';
import { route, type Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { ByReference } from '../storages/routes.ts';
import { countUsage } from '../usage/counter.ts';
import { authorizeQueueReading, ByClient, enter } from './enter.ts';
import { lockHead } from './store-locks.ts';
import { Head, LockedHead, LockSecs, MOST_IN_HEAD, MOST_LOCKED } from './model.ts';
import { toHeadItem, toIso } from './request.ts';
import { readHead } from './store-reads.ts';
import { findQueues, queueGone } from './store.ts';
import { countUse } from './tally.ts';

const HEAD = '/request-queues/{storageId}/head';
const USUALLY_IN_HEAD = 100;

const get = route(
  {
    id: 'requestQueue_head_get',
    method: 'GET',
    path: HEAD,
    summary: 'Look at the first requests that are pending and not locked',
    access: READING,
    params: ByReference,
    query: Type.Object({
      ...ByClient,
      limit: Type.Optional(Type.Integer({ minimum: 0, description: `At most ${MOST_IN_HEAD}` })),
    }),
    reply: { 200: Head },
  },
  async (call, kernel) => {
    const { query, now } = call;
    const limit = clampLimit(query.limit, USUALLY_IN_HEAD, MOST_IN_HEAD);
    const { queueId, userId } = await enter(kernel, call, 'read', 'queue_batch');
    const [queues, rows] = await Promise.all([
      findQueues(kernel.db, [queueId]),
      readHead(kernel.engine, queueId, limit, now),
    ]);
    const queue = queues.get(queueId);
    if (queue === undefined) throw queueGone();
    countUse(kernel.services.queues, queueId, { headReads: rows.length });
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_READS', rows.length);
    return {
      limit,
      queueModifiedAt: toIso(queue.modified_at),
      hadMultipleClients: queue.had_multiple_clients === 1,
      items: rows.map(toHeadItem),
    };
  },
  authorizeQueueReading,
);

const lock = route(
  {
    id: 'requestQueue_head_lock_post',
    method: 'POST',
    path: `${HEAD}/lock`,
    summary: 'Take the first requests that are pending, and lock them for a time',
    description: 'Nobody else gets them until the lock ends; then they are back in their old place.',
    isData: true,
    access: WRITING,
    params: ByReference,
    query: Type.Object({
      ...ByClient,
      lockSecs: LockSecs,
      limit: Type.Optional(Type.Integer({ minimum: 0, description: `At most ${MOST_LOCKED}` })),
    }),
    reply: { 201: LockedHead },
  },
  async (call, kernel) => {
    const { query, now } = call;
    const { lockSecs, clientKey } = query;
    const limit = clampLimit(query.limit, MOST_LOCKED, MOST_LOCKED);
    const { queueId, userId, client } = await enter(kernel, call, 'write', 'queue_batch');
    const until = now + Math.round(lockSecs * 1000);
    const head = await lockHead(kernel.engine, queueId, { limit, client, until, now });
    countUse(kernel.services.queues, queueId, { headReads: head.items.length, writes: head.items.length });
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_READS', head.items.length);
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_WRITES', head.items.length);
    const lockExpiresAt = toIso(until);
    return {
      limit,
      lockSecs,
      queueModifiedAt: toIso(head.modifiedAt),
      hadMultipleClients: head.hadMultipleClients,
      queueHasLockedRequests: head.hasLocked,
      ...(clientKey !== undefined && { clientKey }),
      items: head.items.map((row) => ({ ...toHeadItem(row), lockExpiresAt })),
    };
  },
);

export const headRoutes: Route[] = [get, lock];
