// Adds or deletes many requests in one call. Those over the queue's rate limit come back as unprocessed.
import { WRITE_ACCESS } from '../storages/access.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { ByReference } from '../storages/routes.ts';
import { countUsage } from '../usage/usage-counter.ts';
import { ByClient, openQueueForBatch, Forefront, isForefront, REQUESTS } from './open-queue.ts';
import { BatchAddResult, BatchDeleteResult, MAX_BATCH, NewRequest, RequestRef } from './model.ts';
import { findRequests } from './store-reads.ts';
import {
  isRequestId,
  buildRequestEntry,
  requestIdOf,
  toHeadItem,
  type RequestEntry,
  type StoredRequest,
} from './request.ts';
import type { LockHolder } from './statements.ts';
import { insertRequests, deleteRequests } from './store-writes.ts';

const BATCH = `${REQUESTS}/batch`;

const add = route(
  {
    id: 'requestQueue_requests_batch_post',
    method: 'POST',
    path: BATCH,
    summary: `Add up to ${MAX_BATCH} requests`,
    description:
      'The results are in the order of the requests. Send those under `unprocessedRequests` again, later.',
    isData: true,
    access: WRITE_ACCESS,
    params: ByReference,
    query: Type.Object({ ...ByClient, ...Forefront }),
    body: Type.Array(NewRequest, { maxItems: MAX_BATCH }),
    reply: { 201: BatchAddResult },
  },
  async (call, kernel) => {
    const { body, query, now } = call;
    const entries: RequestEntry[] = [];
    const slice = new TimeSlice();
    for (const request of body) {
      entries.push(await buildRequestEntry(request, isForefront(query)));
      if (slice.isOver) await slice.yieldToEventLoop();
    }
    const { queueId, userId, isWithinLimit } = await openQueueForBatch(kernel, call, 'write', 'queue_batch');
    if (!isWithinLimit) {
      const unprocessedRequests = body.map(({ url, method }, index) => {
        const { id, uniqueKey } = entries[index]!;
        return { id, uniqueKey, url: url ?? uniqueKey, ...(method !== undefined && { method }) };
      });
      return { processedRequests: [], unprocessedRequests };
    }
    const results =
      entries.length === 0 ? [] : await insertRequests(kernel.services.queues, queueId, entries, now);
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
    summary: `Delete up to ${MAX_BATCH} requests, each by its id or its uniqueKey`,
    description:
      'What names no request stands in neither list. Send those under `unprocessedRequests` again, later: the queue is over its ' +
      'rate limit or, with a `clientKey`, another client has locked them.',
    isData: true,
    access: WRITE_ACCESS,
    params: ByReference,
    query: Type.Object(ByClient),
    body: Type.Array(RequestRef, { maxItems: MAX_BATCH }),
    bodyIsOptional: true,
    reply: { 200: BatchDeleteResult },
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
    const { queueId, userId, client, isWithinLimit } = await openQueueForBatch(
      kernel,
      call,
      'write',
      'queue_batch',
    );
    // Skips duplicates and ids that no request can have.
    const named = [...new Set(ids.filter(isRequestId))];
    const deleted = isWithinLimit ? await tryToDelete(kernel, { queueId, client, now }, named) : undefined;
    if (deleted === undefined) {
      const found = await findRequests(kernel.services.queues, queueId, named);
      return { processedRequests: [], unprocessedRequests: found.map(toUnprocessed) };
    }
    countUsage(kernel, { userId }, 'REQUEST_QUEUE_WRITES', deleted.length);
    const byId = new Map(deleted.map((row) => [row.id, toHeadItem(row)]));
    const stayed = client === '' ? [] : named.filter((id) => !byId.has(id));
    const found = stayed.length === 0 ? [] : await findRequests(kernel.services.queues, queueId, stayed);
    const locked = found.filter((one) => one.lock_until > now && one.locked_by !== client);
    return {
      processedRequests: named.flatMap((id) => {
        const item = byId.get(id);
        return item === undefined ? [] : [{ uniqueKey: item.uniqueKey, id }];
      }),
      unprocessedRequests: locked.map(toUnprocessed),
    };
  },
);

/** Returns undefined when the database is unavailable or full: nothing was deleted, and the client has to send it again. */
async function tryToDelete(
  { services, log }: Kernel,
  { queueId, client, now }: Omit<LockHolder, 'id'>,
  ids: string[],
) {
  if (ids.length === 0) return [];
  try {
    return await deleteRequests(services.queues, queueId, ids, now, client);
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
