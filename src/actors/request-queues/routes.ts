// Request queues: what all storages have, and single requests: add, get, change, delete, and list them all.
import { type Route, JsonText, reply, route } from '../../kernel/http/route.ts';
import { Failure } from '../../kernel/failure.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { toListedName } from '../storages/model.ts';
import { storageRoutes, type StorageType, ByReference } from '../storages/routes.ts';
import { READ_ACCESS, WRITE_ACCESS } from '../storages/access.ts';
import { enforceLimit } from '../storages/rate-limits.ts';
import { countUsage } from '../usage/usage-counter.ts';
import { headRoutes } from './head-routes.ts';
import {
  QueueSummary,
  RequestQueue,
  toQueueSummary,
  RequestUpdate,
  MAX_LISTED,
  NewRequest,
  QueueRequest,
  Registration,
  RequestList,
} from './model.ts';
import { batchRoutes } from './batch-routes.ts';
import { insertQueue, findQueues, findQueueWithUsage, requestNotFound, countQueueUse } from './store.ts';
import {
  authorizeQueueReading,
  ByClient,
  ByRequest,
  REQUESTS,
  openQueueForCall,
  Forefront,
  isForefront,
  openQueue,
} from './open-queue.ts';
import { decodeCursor, type RequestCursor, buildRequestEntry, requestText } from './request.ts';
import { findRequest, listRequests } from './store-reads.ts';
import { explainStayed } from './store-locks.ts';
import type { QueueRow } from './tables.ts';
import { insertRequests, upsertRequest, deleteRequests } from './store-writes.ts';

const requestQueues: StorageType<QueueRow> = {
  kind: 'request-queue',
  path: '/request-queues',
  id: 'requestQueue',
  Detail: RequestQueue,
  Summary: QueueSummary,
  insertRows: (tx, { id, createdAt }) => insertQueue(tx, id, createdAt),
  findCounts: ({ id }, { services }) => findQueueWithUsage(services.queues, id),
  detail(storage, row, { publicUrl }) {
    const consoleUrl = `${publicUrl}/console/storage/queues/${storage.id}`;
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

const DEFAULT_LISTED = 1000;

const add = route(
  {
    id: 'requestQueue_requests_post',
    method: 'POST',
    path: REQUESTS,
    summary: 'Add a request, unless one with the same uniqueKey is there',
    isData: true,
    access: WRITE_ACCESS,
    params: ByReference,
    query: Type.Object({ ...ByClient, ...Forefront }),
    body: NewRequest,
    reply: { 201: Registration },
  },
  async (call, kernel) => {
    const entry = await buildRequestEntry(call.body, isForefront(call.query));
    const { queueId, userId } = await openQueueForCall(kernel, call, 'write', 'queue');
    const [result] = await insertRequests(kernel.services.queues, queueId, [entry], call.now);
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_WRITES', 1);
    return result!;
  },
);

const list = route(
  {
    id: 'requestQueue_requests_get',
    method: 'GET',
    path: REQUESTS,
    summary: 'List the requests of a queue, page by page',
    description:
      'Without a filter all of them, in the order of their ids; with one those in any of the states named, in the ' +
      'order of the queue. The next page begins at `nextCursor`, which the last page has not.',
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object({
      ...ByClient,
      limit: Type.Optional(
        Type.Integer({ minimum: 0, description: describeLimit(DEFAULT_LISTED, MAX_LISTED) }),
      ),
      cursor: Type.Optional(Type.String()),
      exclusiveStartId: Type.Optional(
        Type.String({ description: 'The id before the first; `cursor` is better' }),
      ),
      filter: Type.Optional(Type.Array(OneOf(['locked', 'pending']))),
    }),
    reply: { 200: RequestList },
  },
  async (call, kernel) => {
    const { now, query } = call;
    const { cursor, exclusiveStartId, filter } = query;
    // Before the query is checked: its errors must not disclose that a hidden queue exists.
    await openQueue(kernel, call, 'read');
    const after = startOf(query);
    const limit = clampLimit(query.limit, DEFAULT_LISTED, MAX_LISTED);
    const { queueId, userId } = await openQueueForCall(kernel, call, 'read', 'queue');
    const { rows, nextCursor } = await listRequests(kernel.engine, queueId, { limit, after, filter }, now);
    countQueueUse(kernel.services.queues, queueId, { reads: rows.length });
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_READS', rows.length);
    const page = JSON.stringify({
      limit,
      ...(cursor !== undefined && { cursor }),
      ...(exclusiveStartId !== undefined && { exclusiveStartId }),
      ...(nextCursor !== undefined && { nextCursor }),
    });
    const items = await mapInSlices(rows, (row) => requestText(row, now));
    return new JsonText(`{"items":[${items.join(',')}],${page.slice(1)}`);
  },
  authorizeQueueReading,
);

function startOf({
  cursor,
  exclusiveStartId,
  filter,
}: {
  cursor?: string;
  exclusiveStartId?: string;
  filter?: unknown[];
}): RequestCursor | undefined {
  if (exclusiveStartId !== undefined && (cursor !== undefined || filter !== undefined)) {
    throw new Failure('invalid', 'exclusiveStartId cannot be used together with cursor or filter');
  }
  if (exclusiveStartId !== undefined) return { afterId: exclusiveStartId };
  if (cursor === undefined) return undefined;
  return decodeCursor(cursor, filter === undefined ? 'id' : 'order');
}

const get = route(
  {
    id: 'requestQueue_request_get',
    method: 'GET',
    path: `${REQUESTS}/{requestId}`,
    summary: 'Get a request',
    access: READ_ACCESS,
    params: ByRequest,
    reply: { 200: QueueRequest },
  },
  async (call, kernel) => {
    const { now, params } = call;
    const { id: queueId, userId } = await openQueue(kernel, call, 'read');
    await enforceLimit(kernel, 'queue', queueId, now);
    const stored = await findRequest(kernel.services.queues, queueId, params.requestId);
    if (stored === undefined) throw requestNotFound();
    countQueueUse(kernel.services.queues, queueId, { reads: 1 });
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_READS', 1);
    return new JsonText(requestText(stored, now));
  },
  authorizeQueueReading,
);

const change = route(
  {
    id: 'requestQueue_request_put',
    method: 'PUT',
    path: `${REQUESTS}/{requestId}`,
    summary: 'Replace a request, or add it; with handledAt it is handled and leaves the head',
    description:
      'A request that is still pending goes to the end of the queue, or with `forefront` to its head. The reply tells ' +
      'what was there before the call.',
    isData: true,
    access: WRITE_ACCESS,
    params: ByRequest,
    query: Type.Object({ ...ByClient, ...Forefront }),
    body: RequestUpdate,
    reply: { 200: Registration },
  },
  async (call, kernel) => {
    const { params, body, query, now } = call;
    if (body.id !== params.requestId) {
      throw new Failure('invalid', `The id "${body.id}" is not the one in the path`, {
        code: 'request-id-invalid',
      });
    }
    const entry = await buildRequestEntry(body, isForefront(query));
    const { queueId, userId } = await openQueueForCall(kernel, call, 'write', 'queue');
    const result = await upsertRequest(kernel.services.queues, queueId, entry, now);
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_WRITES', 1);
    return result;
  },
);

const remove = route(
  {
    id: 'requestQueue_request_delete',
    method: 'DELETE',
    path: `${REQUESTS}/{requestId}`,
    summary: 'Delete a request',
    description:
      'With a `clientKey`, a request that another client has locked is not deleted, and the answer is 409 ' +
      '`request-handled-or-locked`.',
    isData: true,
    access: WRITE_ACCESS,
    params: ByRequest,
    query: Type.Object(ByClient),
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { params, now } = call;
    const { queueId, userId, client } = await openQueueForCall(kernel, call, 'write', 'queue');
    const { requestId: id } = params;
    const removed = await deleteRequests(kernel.services.queues, queueId, [id], now, client);
    if (removed.length === 0) throw await explainStayed(kernel.db, { queueId, id });
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_WRITES', 1);
    return reply(204);
  },
);

export const requestQueueRoutes: Route[] = [
  ...storageRoutes(requestQueues),
  add,
  list,
  get,
  change,
  remove,
  ...batchRoutes,
  ...headRoutes,
];
