// The calls that tests of key-value stores make: raw bytes in requests and replies.
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { ADMIN_TOKEN, type Json, type TestServer } from '../../../server.ts';

export interface RawInit {
  method?: string;
  /** Without one the administrator's; null sends none. */
  token?: string | null;
  headers?: Record<string, string>;
  body?: string | Uint8Array | Readable;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The body as JSON; fails the test when it is not. */
  json: Json;
}

export async function send(url: string, init: RawInit = {}): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const { method = 'GET', token = ADMIN_TOKEN, headers = {}, body } = init;
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const outgoing = request(url, { method, headers: { ...authorization, ...headers } });
  outgoing.on('error', reject);
  outgoing.on('response', (incoming) => {
    buffer(incoming).then((bytes) => {
      // After an early error the body is not sent any further: Node's client would stop in the middle and keep the connection.
      if (body instanceof Readable && !outgoing.writableEnded) outgoing.destroy();
      resolve({
        status: incoming.statusCode!,
        headers: incoming.headers,
        body: bytes,
        get json() {
          return JSON.parse(bytes.toString()) as Json;
        },
      });
    }, reject);
  });
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) outgoing.end(body);
  else body.on('error', (error) => outgoing.destroy(error)).pipe(outgoing);
  return await promise;
}

/** The server may be one that is started later. */
export function recordCalls(server: () => TestServer) {
  const at = (path: string) => `${server().url}/v2/key-value-stores${path}`;
  const record = (store: string, key: string) => at(`/${store}/records/${encodeURIComponent(key)}`);
  return {
    at: (path: string, init?: RawInit) => send(at(path), init),
    /** A new store; unnamed without a query. */
    async make(query = '', init: RawInit = {}): Promise<Json> {
      return (await send(at(query), { method: 'POST', ...init })).json['data'] as Json;
    },
    put: (store: string, key: string, body: RawInit['body'], init: RawInit = {}) =>
      send(record(store, key), { method: 'PUT', ...(body !== undefined && { body }), ...init }),
    get: (store: string, key: string, init?: RawInit, query = '') => send(record(store, key) + query, init),
    remove: (store: string, key: string, init: RawInit = {}) =>
      send(record(store, key), { method: 'DELETE', ...init }),
    async keys(store: string, query = '', init?: RawInit): Promise<Json> {
      return (await send(at(`/${store}/keys${query}`), init)).json['data'] as Json;
    },
    async stats(store: string): Promise<Json> {
      return (await send(at(`/${store}`))).json['data'].stats as Json;
    },
    /** The names of all blobs. */
    async blobs(): Promise<string[]> {
      const listed = await Array.fromAsync(server().app.kernel.blobs.list());
      return listed.map(({ key }) => key);
    },
  };
}

export function namesOf({ items }: Json): string[] {
  return (items as { key: string }[]).map(({ key }) => key);
}
