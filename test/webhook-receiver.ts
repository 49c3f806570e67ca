// A receiver of webhooks for tests: it keeps what it gets, and answers as the test says.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from './eventually.ts';
import type { Json } from './server.ts';

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Throws where the body is not JSON. */
  readonly json: Json;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** What came to this path. */
  at(path: string): ReceivedWebhook[];
  /** Waits until so many came to this path. */
  wait(path: string, count?: number): Promise<ReceivedWebhook[]>;
  close(): Promise<void>;
}

type Respond = (response: ServerResponse, request: ReceivedWebhook) => void;

export async function openReceiver(
  respond: Respond = (response) => response.end('thanks'),
  tls?: { cert: Buffer; key: Buffer },
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const one = {
        path: request.url!,
        headers: request.headers,
        body,
        get json() {
          return JSON.parse(body || '{}') as Json;
        },
      };
      received.push(one);
      respond(response, one);
    });
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const at = (path: string) => received.filter((one) => one.path === path);
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    received,
    at,
    async wait(path, count = 1) {
      await eventually(() => at(path).length >= count, `${count} webhooks at ${path}`);
      return at(path);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
