// The requests of a queue for somebody who looks on: unlike calls of the Actors API, these make nobody a client of the queue, which
// would change how crawlers use it.
import { normalizeText } from '../../actors/logs/normalize.ts';
import { QueueRequest } from '../../actors/request-queues/model.ts';
import { authorizeQueueReading, openQueue } from '../../actors/request-queues/open-queue.ts';
import {
  decodeCursor,
  isRequestId,
  requestIdOf,
  requestText,
  uniqueKeyOf,
} from '../../actors/request-queues/request.ts';
import { findRequests, listRequests } from '../../actors/request-queues/store-reads.ts';
import { countQueueUse } from '../../actors/request-queues/store.ts';
import { READ_ACCESS } from '../../actors/storages/access.ts';
import { enforceLimit } from '../../actors/storages/rate-limits.ts';
import { ByReference } from '../../actors/storages/routes.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { JsonText, route } from '../../kernel/http/route.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import {
  findFailedRequests,
  MAX_READ_ERRORS,
  MAX_SEARCHED_REQUESTS,
  type FailedRequest,
} from './store-failed-requests.ts';

/** Of a unique key. */
const MAX_LENGTH = 65_536;

const DEFAULT_LISTED = 100;
const MAX_LISTED = 1000;

const listQueueRequests = route(
  {
    id: 'listQueueRequests',
    method: 'GET',
    path: '/request-queues/{storageId}/requests',
    summary: 'List the requests of a queue, without becoming one of its clients',
    description:
      'Those that are pending or locked in the order of the queue, all of them in the order of their ids. A page may have fewer ' +
      'than asked for where requests are large.',
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object({
      state: OneOf(['pending', 'locked', 'any'], {
        default: 'any',
        description: '`pending`: neither handled nor locked',
      }),
      cursor: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the page before' })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: describeLimit(DEFAULT_LISTED, MAX_LISTED) }),
      ),
    }),
    reply: {
      200: Type.Object({
        items: Type.Array(QueueRequest),
        next: Type.Optional(
          Type.String({ description: 'The cursor of the next page; absent where there is none' }),
        ),
      }),
    },
  },
  async (call, kernel) => {
    const { now, query } = call;
    const { state, cursor } = query;
    const { id: queueId } = await openQueue(kernel, call, 'read');
    const after = cursor === undefined ? undefined : decodeCursor(cursor, state === 'any' ? 'id' : 'order');
    await enforceLimit(kernel, 'queue', queueId, now);
    const limit = clampLimit(query.limit, DEFAULT_LISTED, MAX_LISTED);
    const filter = state === 'any' ? undefined : [state];
    const { rows, nextCursor } = await listRequests(kernel.engine, queueId, { limit, after, filter }, now);
    countQueueUse(kernel.services.queues, queueId, { reads: rows.length });
    const items = await mapInSlices(rows, (row) => requestText(row, now));
    const next = nextCursor === undefined ? '' : `,"next":${JSON.stringify(nextCursor)}`;
    return new JsonText(`{"items":[${items.join(',')}]${next}}`);
  },
  authorizeQueueReading,
);

/** Of the requests that one reply has. */
const MAX_FAILED_BYTES = 2_000_000;
const MAX_ERRORS = 50;
const MAX_EXAMPLE = 500;

const QueueError = Type.Object(
  {
    text: Type.String({ description: 'Without numbers, addresses, ids and times' }),
    example: Type.String({ description: 'As a request has it' }),
    count: Type.Integer(),
  },
  { $id: 'QueueError' },
);

const listFailedRequests = route(
  {
    id: 'listFailedRequests',
    method: 'GET',
    path: '/request-queues/{storageId}/requests/failed',
    summary: 'List the requests of a queue that were handled with errors',
    description: `The first ones in the order of their ids, how many there are among the first ${MAX_SEARCHED_REQUESTS} requests, and with which errors.`,
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object({
      error: Type.Optional(
        PlainText({
          maxLength: 1000,
          description: 'The `text` of an error: requests that ended with it alone',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: describeLimit(DEFAULT_LISTED, DEFAULT_LISTED) }),
      ),
    }),
    reply: {
      200: Type.Object(
        {
          items: Type.Array(QueueRequest),
          failed: Type.Integer({ description: 'Among those that were looked through, with whatever error' }),
          isPartial: Type.Boolean({ description: 'There are more requests than were looked through' }),
          errors: Type.Array(QueueError, {
            description: `The last errors of the first ${MAX_READ_ERRORS} of them, the most frequent ${MAX_ERRORS} first`,
          }),
        },
        { $id: 'FailedRequests' },
      ),
    },
  },
  async (call, kernel) => {
    const { now, query } = call;
    const { queues } = kernel.services;
    const { id: queueId } = await openQueue(kernel, call, 'read');
    await enforceLimit(kernel, 'queue', queueId, now);
    const limit = clampLimit(query.limit, DEFAULT_LISTED, DEFAULT_LISTED);
    const { requests, failed, searched } = await findFailedRequests(kernel.db, queueId);
    const texts = await mapInSlices(requests, ({ error }) => normalizeText(error));
    const groups = Map.groupBy(requests, (_, index) => texts[index]!);
    const { error } = query;
    const ids = firstOf(error === undefined ? requests : (groups.get(error) ?? []), limit);
    const found = await findRequests(queues, queueId, ids);
    countQueueUse(queues, queueId, { reads: found.length });
    const items = found.map((row) => requestText(row, now)).join(',');
    const isPartial = searched === MAX_SEARCHED_REQUESTS;
    const errors = JSON.stringify(toErrors(groups));
    return new JsonText(
      `{"items":[${items}],"failed":${failed},"isPartial":${isPartial},"errors":${errors}}`,
    );
  },
  authorizeQueueReading,
);

/** As many as one reply has room for. */
function firstOf(requests: readonly FailedRequest[], limit: number): string[] {
  let bytes = 0;
  const end = requests.findIndex((request, index) => {
    bytes += request.bytes;
    return index === limit || (index > 0 && bytes > MAX_FAILED_BYTES);
  });
  return requests.slice(0, end === -1 ? requests.length : end).map(({ id }) => id);
}

function toErrors(groups: ReadonlyMap<string, readonly FailedRequest[]>): Static<typeof QueueError>[] {
  return [...groups]
    .map(([text, requests]) => ({
      text,
      example: requests[0]!.error.slice(0, MAX_EXAMPLE),
      count: requests.length,
    }))
    .toSorted((one, other) => other.count - one.count || (one.text < other.text ? -1 : 1))
    .slice(0, MAX_ERRORS);
}

const findRequest = route(
  {
    id: 'findRequest',
    method: 'GET',
    path: '/request-queues/{storageId}/requests/find',
    summary: 'Find a request of a queue by its id, its unique key or its URL',
    description:
      'A URL is compared as crawlers do: without fragment and campaign parameters. A request whose unique key is not made from ' +
      'its URL is found by the unique key only. At most three fit.',
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object({
      q: Type.String({
        minLength: 1,
        maxLength: MAX_LENGTH,
        description: 'The id, the unique key or the URL',
      }),
    }),
    reply: { 200: Type.Object({ items: Type.Array(QueueRequest) }) },
  },
  async (call, kernel) => {
    const { now, query } = call;
    const { queues } = kernel.services;
    const { id: queueId } = await openQueue(kernel, call, 'read');
    await enforceLimit(kernel, 'queue', queueId, now);
    const found = await findRequests(queues, queueId, idsOf(query.q.trim()));
    countQueueUse(queues, queueId, { reads: found.length });
    return new JsonText(`{"items":[${found.map((row) => requestText(row, now)).join(',')}]}`);
  },
  authorizeQueueReading,
);

function idsOf(text: string): string[] {
  const ids = [requestIdOf(text), requestIdOf(uniqueKeyOf(text))];
  return [...new Set(isRequestId(text) ? [text, ...ids] : ids)];
}

export const queueRequestRoutes = [listQueueRequests, listFailedRequests, findRequest];
