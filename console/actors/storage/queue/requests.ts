// The requests of a queue: how they are listed, found and changed.
import { path, type Call } from '../../../api/call.ts';
import { send } from '../../../api/client.ts';
import { usePages, useRead } from '../../../api/read.ts';
import type { FailedRequests } from '../../../api/types/signalbox.ts';
import type { Query } from '../storage.ts';
import type { QueueRequest } from './request.ts';

export type RequestState = 'pending' | 'locked' | 'any';

/** What this page itself changes: requests make no event of the stream. */
export const REQUESTS = 'queue-request';
const PAGE = 100;
const MOST_LOCKED = 500;
const FOLLOW_MS = 3000;
/** The server looks through many requests for these. */
const FAILED_MS = 15_000;

function lookCall(id: string, rest: string, query: Query): Call {
  return { api: 'signalbox', path: path`/request-queues/${id}/requests` + rest, query };
}

export function useRequests(id: string, state: RequestState) {
  return usePages<QueueRequest>(
    { call: lookCall(id, '', { state, limit: PAGE }), topics: [REQUESTS] },
    { keepsPrevious: true },
  );
}

/** The head in order, or all that is locked: read again and again. */
export function useFollowedRequests(id: string, state: 'pending' | 'locked') {
  const limit = state === 'pending' ? PAGE : MOST_LOCKED;
  const read = useRead<{ items: QueueRequest[]; next?: string }>(
    { call: lookCall(id, '', { state, limit }), topics: [REQUESTS] },
    { everyMs: FOLLOW_MS },
  );
  return { ...read, requests: read.data?.items ?? [], hasMore: read.data?.next !== undefined };
}

/** Handled with errors, or with one error alone. */
export function useFailedRequests(id: string, error?: string) {
  return useRead<Omit<FailedRequests, 'items'> & { items: QueueRequest[] }>(
    { call: lookCall(id, '/failed', { error }), topics: [REQUESTS] },
    { everyMs: FAILED_MS, keepsPrevious: true },
  );
}

/** By id, unique key or URL. */
export function useFoundRequests(id: string, text: string) {
  const q = text.trim();
  return useRead<{ items: QueueRequest[] }>(
    { call: lookCall(id, '/find', { q }), topics: [REQUESTS] },
    { isEnabled: q !== '', keepsPrevious: true },
  );
}

export function useRequest(id: string, requestId: string) {
  return useRead<{ items: QueueRequest[] }>(
    { call: lookCall(id, '/find', { q: requestId }), topics: [REQUESTS] },
    { everyMs: FOLLOW_MS },
  );
}

function requestsPath(id: string): string {
  return path`/request-queues/${id}/requests`;
}

/** In the name of the client that holds it: only that one may. */
export function releaseCall(id: string, { id: requestId, lockByClient }: QueueRequest): Call {
  return {
    api: 'actors',
    method: 'DELETE',
    path: requestsPath(id) + path`/${requestId}/lock`,
    query: { clientKey: lockByClient, forefront: true },
  };
}

/** All that this client holds; undefined is a client without a key. */
export function releaseAllCall(id: string, client: string | undefined): Call {
  return {
    api: 'actors',
    method: 'POST',
    path: `${requestsPath(id)}/unlock`,
    query: { clientKey: client },
  };
}

/** The request is written as it is, at the head of the queue. */
export function moveToFrontCall(id: string, request: QueueRequest): Call {
  const { lockByClient, lockExpiresAt: _, ...body } = request;
  return {
    api: 'actors',
    method: 'PUT',
    path: requestsPath(id) + path`/${request.id}`,
    query: { forefront: 'true', clientKey: lockByClient },
    body,
  };
}

/** Back into the queue, as if it had not been tried; its errors stay with it until the next ones. */
export function retryCall(id: string, request: QueueRequest): Call {
  const { handledAt: _at, lockByClient: _client, lockExpiresAt: _lock, ...body } = request;
  return {
    api: 'actors',
    method: 'PUT',
    path: requestsPath(id) + path`/${request.id}`,
    body: { ...body, retryCount: 0 },
  };
}

export async function retryAll(id: string, requests: readonly QueueRequest[]): Promise<void> {
  for (const request of requests) await send(retryCall(id, request));
}

const BATCH = 25;

export interface AddedCount {
  added: number;
  present: number;
}

/** What one call of the API takes. */
export function addCall(id: string, urls: readonly string[], isFirst: boolean): Call {
  return {
    api: 'actors',
    method: 'POST',
    path: `${requestsPath(id)}/batch`,
    query: { forefront: isFirst ? 'true' : undefined },
    body: urls.slice(0, BATCH).map((url) => ({ url })),
  };
}

interface AddReply {
  data: { processedRequests: { wasAlreadyPresent: boolean }[]; unprocessedRequests: unknown[] };
}

/** Batch after batch. At the head, the last comes first, so that the first line is next. */
export async function addAll(id: string, urls: readonly string[], isFirst: boolean): Promise<AddedCount> {
  const batches = Array.from({ length: Math.ceil(urls.length / BATCH) }, (_, index) =>
    urls.slice(index * BATCH, (index + 1) * BATCH),
  );
  let added = 0;
  let present = 0;
  for (const batch of isFirst ? batches.toReversed() : batches) {
    const { body } = await send<AddReply>(addCall(id, batch, isFirst));
    for (const { wasAlreadyPresent } of body.data.processedRequests) {
      if (wasAlreadyPresent) present += 1;
      else added += 1;
    }
  }
  return { added, present };
}

export function deleteAllCall(id: string, requestIds: readonly string[]): Call {
  return {
    api: 'actors',
    method: 'DELETE',
    path: `${requestsPath(id)}/batch`,
    body: requestIds.slice(0, BATCH).map((requestId) => ({ id: requestId })),
  };
}

export async function deleteAll(id: string, requestIds: readonly string[]): Promise<void> {
  for (let at = 0; at < requestIds.length; at += BATCH)
    await send(deleteAllCall(id, requestIds.slice(at, at + BATCH)));
}
