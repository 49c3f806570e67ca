// Many requests in one call: add them, delete them. What is over the queue's budget comes back as unprocessed.
import { WRITING } from '../storages/access.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { ByReference } from '../storages/routes.ts';
import { countUsage } from '../usage/counter.ts';
import { ByClient, enterBatch, Forefront, isForefront } from './enter.ts';
import { BatchAdded, BatchDeleted, MOST_IN_BATCH, NewRequest, RequestName } from './model.ts';
import { findRequests } from './store-reads.ts';
import {
  isRequestId,
  readEntry,
  requestIdOf,
  toHeadItem,
  type Entry,
  type StoredRequest,
} from './request.ts';
import { REQUESTS } from './request-routes.ts';
import { addRequests, removeRequests } from './store-writes.ts';

const BATCH = `${REQUESTS}/batch`;

const add = route(
  {
    id: 'requestQueue_requests_batch_post',
    method: 'POST',
    path: BATCH,
    summary: `Add up to ${MOST_IN_BATCH} requests`,
    description:
      'The results are in the order of the requests. Send those under `unprocessedRequests` again, later.',
    isData: true,
    access: WRITING,
    params: ByReference,
    query: Type.Object({ ...ByClient, ...Forefront }),
    body: Type.Array(NewRequest, { maxItems: MOST_IN_BATCH }),
    reply: { 201: BatchAdded },
  },
  async (call, kernel) => {
    const { body, query, now } = call;
    const entries: Entry[] = [];
    const slice = new TimeSlice();
    for (const request of body) {
      entries.push(await readEntry(request, isForefront(query)));
      if (slice.isOver) await slice.next();
    }
    const { queueId, userId, isPaid } = await enterBatch(kernel, call, 'write', 'queue_batch');
    if (!isPaid) {
      const unprocessedRequests = body.map(({ url, method }, index) => {
        const { id, uniqueKey } = entries[index]!;
        return { id, uniqueKey, url: url ?? uniqueKey, ...(method !== undefined && { method }) };
      });
      return { processedRequests: [], unprocessedRequests };
    }
    const results =
      entries.length === 0 ? [] : await addRequests(kernel.services.queues, queueId, entries, now);
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_WRITES', results.length);
    return {
      processedRequests: results.map((result, index) => ({
        ...result,
        uniqueKey: entries[index]!.uniqueKey,
      })),
      unprocessedRequests: [],
    };
  },
);

const remove = route(
  {
    id: 'requestQueue_requests_batch_delete',
    method: 'DELETE',
    path: BATCH,
    summary: `Delete up to ${MOST_IN_BATCH} requests, each by its id or its uniqueKey`,
    description:
      'What names no request stands in neither list. Send those under `unprocessedRequests` again, later.',
    isData: true,
    access: WRITING,
    params: ByReference,
    query: Type.Object(ByClient),
    body: Type.Array(RequestName, { maxItems: MOST_IN_BATCH }),
    bodyIsOptional: true,
    reply: { 200: BatchDeleted },
  },
  async (call, kernel) => {
    const { body, headers, now } = call;
    if (headers['content-type'] === undefined) {
      throw new Failure('malformed', 'The Content-Type must be application/json, not absent.', {
        code: 'invalid-content-type-header',
      });
    }
    if (body === undefined) throw new Failure('invalid', 'The body must be a list of requests');
    const ids = body.map(({ id, uniqueKey }, index) => {
      if (id !== undefined) return id;
      if (uniqueKey === undefined) throw new Failure('invalid', `${index} needs an id or a uniqueKey`);
      return requestIdOf(uniqueKey);
    });
    const { queueId, userId, isPaid } = await enterBatch(kernel, call, 'write', 'queue_batch');
    // Ids that no request can have are not asked for; one that comes twice is one request.
    const named = [...new Set(ids.filter(isRequestId))];
    const removed = isPaid ? await tryToRemove(kernel, queueId, named, now) : undefined;
    if (removed === undefined) {
      const found = await findRequests(kernel.services.queues, queueId, named);
      return { processedRequests: [], unprocessedRequests: found.map(toUnprocessed) };
    }
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_WRITES', removed.length);
    const byId = new Map(removed.map((row) => [row.id, toHeadItem(row)]));
    return {
      processedRequests: named.flatMap((id) => {
        const item = byId.get(id);
        return item === undefined ? [] : [{ uniqueKey: item.uniqueKey, id }];
      }),
      unprocessedRequests: [],
    };
  },
);

/** Undefined when the database is unavailable or full: nothing was deleted, and the reply lists what to send again. */
async function tryToRemove({ services, log }: Kernel, queueId: string, ids: string[], now: number) {
  if (ids.length === 0) return [];
  try {
    return await removeRequests(services.queues, queueId, ids, now);
  } catch (error) {
    if (!(error instanceof Failure && error.kind === 'unavailable')) throw error;
    log.error({ err: error, queue: queueId }, 'requests were not deleted, and are given back as unprocessed');
    return undefined;
  }
}

function toUnprocessed(stored: StoredRequest) {
  const { id, uniqueKey, url, method } = toHeadItem(stored);
  return { id, uniqueKey, url, method };
}

export const batchRoutes: Route[] = [add, remove];
