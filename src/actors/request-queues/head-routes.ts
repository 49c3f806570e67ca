// The head of a queue and the locks on requests: look at it, lock requests at it, extend and release locks.
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route, type Route, reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { READ_ACCESS, WRITE_ACCESS } from '../storages/access.ts';
import { ByReference } from '../storages/routes.ts';
import { countUsage } from '../usage/usage-counter.ts';
import {
  authorizeQueueReading,
  ByClient,
  ByRequest,
  openQueueForCall,
  Forefront,
  isForefront,
  REQUESTS,
} from './open-queue.ts';
import { lockHead, extendLock, releaseAllLocks, releaseLock } from './store-locks.ts';
import { QueueHead, LockedQueueHead, LockSecs, MAX_HEAD, MAX_LOCKED } from './model.ts';
import { toHeadItem, toIso } from './request.ts';
import { listHead } from './store-reads.ts';
import { findQueues, queueNotFound, countQueueUse } from './store.ts';

const HEAD = '/request-queues/{storageId}/head';
const DEFAULT_HEAD = 100;

const get = route(
  {
    id: 'requestQueue_head_get',
    method: 'GET',
    path: HEAD,
    summary: 'Look at the first requests that are pending and not locked',
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object({
      ...ByClient,
      limit: Type.Optional(Type.Integer({ minimum: 0, description: describeLimit(DEFAULT_HEAD, MAX_HEAD) })),
    }),
    reply: { 200: QueueHead },
  },
  async (call, kernel) => {
    const { query, now } = call;
    const limit = clampLimit(query.limit, DEFAULT_HEAD, MAX_HEAD);
    const { queueId, userId } = await openQueueForCall(kernel, call, 'read', 'queue_batch');
    const [queues, rows] = await Promise.all([
      findQueues(kernel.db, [queueId]),
      listHead(kernel.engine, queueId, limit, now),
    ]);
    const queue = queues.get(queueId);
    if (queue === undefined) throw queueNotFound();
    countQueueUse(kernel.services.queues, queueId, { headReads: rows.length });
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
    access: WRITE_ACCESS,
    params: ByReference,
    query: Type.Object({
      ...ByClient,
      lockSecs: LockSecs,
      limit: Type.Optional(Type.Integer({ minimum: 0, description: describeLimit(MAX_LOCKED, MAX_LOCKED) })),
    }),
    reply: { 201: LockedQueueHead },
  },
  async (call, kernel) => {
    const { query, now } = call;
    const { lockSecs, clientKey } = query;
    const limit = clampLimit(query.limit, MAX_LOCKED, MAX_LOCKED);
    const { queueId, userId, client } = await openQueueForCall(kernel, call, 'write', 'queue_batch');
    const until = now + Math.round(lockSecs * 1000);
    const head = await lockHead(kernel.engine, queueId, { limit, client, until, now });
    countQueueUse(kernel.services.queues, queueId, {
      headReads: head.items.length,
      writes: head.items.length,
    });
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

const extend = route(
  {
    id: 'requestQueue_request_lock_put',
    method: 'PUT',
    path: `${REQUESTS}/{requestId}/lock`,
    summary: 'Hold a request longer',
    description:
      'Only the client that locked it may, also after the lock has ended, as long as no other has locked it since. ' +
      'With `forefront` it is at the head of the queue once the lock ends, else in its old place.',
    isData: true,
    access: WRITE_ACCESS,
    params: ByRequest,
    query: Type.Object({ ...ByClient, ...Forefront, lockSecs: LockSecs }),
    reply: { 200: Type.Object({ lockExpiresAt: Type.String({ format: 'date-time' }) }) },
  },
  async (call, kernel) => {
    const { params, query, now } = call;
    const { queueId, client } = await openQueueForCall(kernel, call, 'write', 'queue');
    const until = now + Math.round(query.lockSecs * 1000);
    const holder = { queueId, id: params.requestId, client, now };
    await extendLock(kernel.engine, holder, { until, forefront: isForefront(query) });
    return { lockExpiresAt: toIso(until) };
  },
);

const release = route(
  {
    id: 'requestQueue_request_lock_delete',
    method: 'DELETE',
    path: `${REQUESTS}/{requestId}/lock`,
    summary: 'Give a request back, to the end of the queue or to its head',
    isData: true,
    access: WRITE_ACCESS,
    params: ByRequest,
    query: Type.Object({ ...ByClient, ...Forefront }),
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { params, query, now } = call;
    const { queueId, client } = await openQueueForCall(kernel, call, 'write', 'queue');
    await releaseLock(kernel.engine, { queueId, id: params.requestId, client, now }, isForefront(query));
    return reply(204);
  },
);

const releaseAll = route(
  {
    id: 'requestQueue_requests_unlock_post',
    worksOnFullDisk: true,
    method: 'POST',
    path: `${REQUESTS}/unlock`,
    summary: 'Give back all that this client holds',
    isData: true,
    access: WRITE_ACCESS,
    params: ByReference,
    query: Type.Object(ByClient),
    reply: { 200: Type.Object({ unlockedCount: Type.Integer() }) },
  },
  async (call, kernel) => {
    const { queueId, client } = await openQueueForCall(kernel, call, 'write', 'queue');
    return { unlockedCount: await releaseAllLocks(kernel.engine, queueId, client, call.now) };
  },
);

export const headRoutes: Route[] = [get, lock, extend, release, releaseAll];
