// The calls that tests of request queues make, on a queue of their own.
import { createHash } from 'node:crypto';
import type { Answer, CallInit, TestServer } from '../../../server.ts';

export interface Queue {
  id: string;
  /** Below the queue's own path. */
  call(path: string, init?: CallInit): Promise<Answer>;
  add(request: object): Promise<Answer>;
  addBatch(requests: unknown): Promise<Answer>;
  removeBatch(names: unknown): Promise<Answer>;
  head(query?: string): Promise<Answer>;
  lock(query: { lockSecs: number; limit?: number; clientKey?: string }): Promise<Answer>;
  /** Replaces the request with this key. */
  put(uniqueKey: string, fields?: object, query?: string): Promise<Answer>;
  handle(uniqueKey: string): Promise<Answer>;
}

/** As clients compute it. */
export function idOf(uniqueKey: string): string {
  const digest = createHash('sha256').update(uniqueKey).digest('base64');
  return digest.replaceAll(/[+/=]/g, '').slice(0, 15);
}

/** The server may be one that is started later. */
export function queueCalls(server: () => TestServer) {
  return {
    async make(token?: string): Promise<Queue> {
      const as = token === undefined ? {} : { token };
      const { json } = await server().call('/v2/request-queues', { method: 'POST', ...as });
      const id = json['data'].id as string;
      const call: Queue['call'] = (path, init = {}) =>
        server().call(`/v2/request-queues/${id}${path}`, { ...as, ...init });
      const put: Queue['put'] = (uniqueKey, fields = {}, query = '') => {
        const requestId = idOf(uniqueKey);
        const url = `https://example.com/${uniqueKey}`;
        const body = { id: requestId, uniqueKey, url, ...fields };
        return call(`/requests/${requestId}${query}`, { method: 'PUT', body });
      };
      return {
        id,
        call,
        put,
        add: (request) => call('/requests', { method: 'POST', body: request }),
        addBatch: (requests) => call('/requests/batch', { method: 'POST', body: requests }),
        removeBatch: (names) => call('/requests/batch', { method: 'DELETE', body: names }),
        head: (query = '') => call(`/head${query}`),
        lock: (query) => {
          const values = Object.entries(query).map(([name, value]) => `${name}=${value}`);
          return call(`/head/lock?${values.join('&')}`, { method: 'POST' });
        },
        handle: (uniqueKey) => put(uniqueKey, { handledAt: new Date().toISOString() }),
      };
    },
  };
}
