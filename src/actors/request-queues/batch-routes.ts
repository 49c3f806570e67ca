// Many requests in one call: add them, delete them. What is over the queue's budget comes back as unprocessed.
import { Failure } from '../../kernel/failure.ts';
import { route, type Route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import { ByReference } from '../storages/routes.ts';
import { ByClient, enterBatch, Forefront } from './enter.ts';
import { BatchAdded, BatchDeleted, MOST_IN_BATCH, NewRequest, RequestName } from './model.ts';
import { requestIdOf, toEntry, toHeadItem } from './request.ts';
import { REQUESTS } from './request-routes.ts';
import { addRequests, removeRequests } from './writes.ts';

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
    access: 'caller',
    params: ByReference,
    query: Type.Object({ ...ByClient, ...Forefront }),
    body: Type.Array(NewRequest, { maxItems: MOST_IN_BATCH }),
    reply: { 201: BatchAdded },
  },
  async (call, kernel) => {
    const { body, query, now } = call;
    const entries = body.map((request) => toEntry(request, query.forefront));
    const { queueId, isPaid } = await enterBatch(kernel, call, 'write', 'queue_batch');
    if (!isPaid) {
      const unprocessedRequests = body.map(({ url, method }, index) => ({
        uniqueKey: entries[index]!.uniqueKey,
        ...(url !== undefined && { url }),
        ...(method !== undefined && { method }),
      }));
      return { processedRequests: [], unprocessedRequests };
    }
    const results = entries.length === 0 ? [] : await addRequests(kernel.engine, queueId, entries, now);
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
      'A request that is not there counts as deleted. Send those under `unprocessedRequests` again, later.',
    isData: true,
    access: 'caller',
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
    const named = body.map(({ id, uniqueKey }, index) => {
      if (id === undefined && uniqueKey === undefined) {
        throw new Failure('invalid', `${index} needs an id or a uniqueKey`);
      }
      return { id: id ?? requestIdOf(uniqueKey!), ...(uniqueKey !== undefined && { uniqueKey }) };
    });
    const { queueId, isPaid } = await enterBatch(kernel, call, 'write', 'queue_batch');
    if (!isPaid) return { processedRequests: [], unprocessedRequests: named };
    const ids = named.map(({ id }) => id);
    const removed = ids.length === 0 ? [] : await removeRequests(kernel.engine, queueId, ids, now);
    const keys = new Map(removed.map((row) => [row.id, toHeadItem(row).uniqueKey]));
    return {
      processedRequests: named.map((name) => {
        const uniqueKey = keys.get(name.id);
        return uniqueKey === undefined ? name : { id: name.id, uniqueKey };
      }),
      unprocessedRequests: [],
    };
  },
);

export const batchRoutes: Route[] = [add, remove];
