// Locks on single requests: extend one, release one, release all.
import { WRITE_ACCESS } from '../storages/access.ts';
import { reply, route, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { ByReference } from '../storages/routes.ts';
import { ByClient, openQueueForCall, Forefront, isForefront } from './open-queue.ts';
import { extendLock, releaseAllLocks, releaseLock } from './store-locks.ts';
import { LockSecs } from './model.ts';
import { toIso } from './request.ts';
import { ByRequest, REQUESTS } from './request-routes.ts';

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

export const lockRoutes: Route[] = [extend, release, releaseAll];
