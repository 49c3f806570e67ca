// The listener for the processes of runs: plain HTTP on loopback with this API and the events, for tokens of runs alone.
import { createRequire } from 'node:module';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import type { Api } from '../../kernel/dialect.ts';
import { hashSecret } from '../../kernel/identity/secret.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { serve } from '../../kernel/serve.ts';
import { closeServer, createServer, listenOn } from '../../kernel/server.ts';
import type { RunEvents } from './run-events.ts';
import { findRunByToken } from './store.ts';

export interface RunListener {
  /** Without a slash at the end. */
  url: string;
  eventsUrlOf(token: string): string;
  close(): Promise<void>;
}

const EVENTS_PATH = '/events';
/** Programs send nothing; what they send is not read. */
const MAX_MESSAGE = 1024;

export async function openRunListener(kernel: Kernel, api: Api, events: RunEvents): Promise<RunListener> {
  const server = createServer({});
  serve(server, { ...api, dialect: { ...api.dialect, forPrograms: true } }, kernel);
  const { WebSocketServer: Server } = createRequire(import.meta.url)('ws') as {
    WebSocketServer: typeof WebSocketServer;
  };
  const sockets = new Server({ noServer: true, maxPayload: MAX_MESSAGE });
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      // SDKs must be answered at once: a refused connection would end the Python SDK.
      void runIdOf(kernel, request).then(
        (runId) => events.connect(runId ?? '', webSocket),
        () => webSocket.close(1011),
      );
    });
  });
  const url = await listenOn(server, { host: '127.0.0.1', port: 0 });
  return {
    url,
    eventsUrlOf: (token) => `${url.replace('http:', 'ws:')}${EVENTS_PATH}?token=${token}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await closeServer(server);
    },
  };
}

async function runIdOf({ db }: Kernel, { url = '' }: IncomingMessage): Promise<string | undefined> {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const token = searchParams.get('token');
  if (pathname !== EVENTS_PATH || token === null) return undefined;
  return (await findRunByToken(db, hashSecret(token)))?.id;
}
