// The listener for the processes of runs: plain HTTP on loopback with this API, and the platform's events over WebSockets, for tokens of runs alone.
import { createRequire } from 'node:module';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { WebSocketServer, WebSocket } from 'ws';
import type { Api } from '../../kernel/http/protocol.ts';
import { hashSecret } from '../../kernel/secrets/secret.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isLoopbackName } from '../../kernel/network/loopback-name.ts';
import { serve } from '../../kernel/http/serve.ts';
import { listenOn } from '../../kernel/http/server/listen.ts';
import { closeServer, createServer } from '../../kernel/http/server/server.ts';
import { newBridgeSocket, openForwarder, openToPrograms, type Forwarder } from '../runner/program-sockets.ts';
import type { ProgramBridge } from '../runner/runner.ts';
import { WEB_SERVER_PORT } from './web-server.ts';
import { findRunByToken } from './store.ts';

export interface RunListener {
  /** Where processes reach it, without a slash at the end. */
  url: string;
  /** For processes that are not on the network of this machine: what makes the URL reachable for them. */
  bridges: readonly ProgramBridge[];
  eventsUrlOf(token: string): string;
  close(): Promise<void>;
}

const EVENTS_PATH = '/events';
/** Inside the sandbox of each process. */
const BRIDGE_PORT = 8010;
/** Programs send nothing; what they send is not read. */
const MAX_MESSAGE = 1024;

export async function openRunListener(kernel: Kernel, api: Api, events: RunEvents): Promise<RunListener> {
  const server = createServer({ log: kernel.log });
  serve(server, { ...api, protocol: { ...api.protocol, forPrograms: true } }, kernel);
  const { WebSocketServer: Server } = createRequire(import.meta.url)('ws') as {
    WebSocketServer: typeof WebSocketServer;
  };
  const sockets = new Server({ noServer: true, maxPayload: MAX_MESSAGE });
  server.upgrades.add('', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      // At once: without a listener the error of a broken message, which anybody on this machine can send, would end the server.
      webSocket.on('error', () => webSocket.terminate());
      // SDKs must be answered at once: a refused connection would end the Python SDK.
      void runIdOf(kernel, request).then(
        (runId) => events.connect(runId ?? '', webSocket),
        () => webSocket.close(1011),
      );
    });
  });
  const { work, network } = kernel.settings.execution;
  const bridge = network === 'host' ? undefined : { port: BRIDGE_PORT, socket: newBridgeSocket(work) };
  const own = network === 'private' ? await openPublicBridge(work, kernel.publicUrl) : undefined;
  const url = bridge
    ? await listenOnSocket(server, bridge)
    : await listenOn(server, { host: '127.0.0.1', port: 0 });
  return {
    url,
    bridges: [bridge, own].filter((one) => one !== undefined),
    eventsUrlOf: (token) => `${url.replace('http:', 'ws:')}${EVENTS_PATH}?token=${token}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await closeServer(server);
      own?.close();
    },
  };
}

/**
 * A server whose public URL leads to loopback is reached by it inside as outside; runs read flags there, for example. Programs cannot
 * have the ports of the system, nor twice the same one.
 */
async function openPublicBridge(
  work: string,
  publicUrl: string,
): Promise<(ProgramBridge & Forwarder) | undefined> {
  const { hostname, port, protocol } = new URL(publicUrl);
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  if (!isLoopbackName(hostname) || number < 1024 || [BRIDGE_PORT, WEB_SERVER_PORT].includes(number))
    return undefined;
  const host = hostname.replaceAll(/[[\]]/g, '');
  return { port: number, ...(await openForwarder(work, { host, port: number })) };
}

async function listenOnSocket(server: FastifyInstance, { port, socket }: ProgramBridge): Promise<string> {
  await server.listen({ path: socket });
  openToPrograms(socket);
  return `http://127.0.0.1:${port}`;
}

async function runIdOf({ db }: Kernel, { url = '' }: IncomingMessage): Promise<string | undefined> {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const token = searchParams.get('token');
  if (pathname !== EVENTS_PATH || token === null) return undefined;
  return (await findRunByToken(db, hashSecret(token)))?.id;
}

export type RunEventName = 'systemInfo' | 'migrating' | 'aborting' | 'persistState';

/** A process needs one connection; a hostile one might open thousands. */
const MAX_SOCKETS = 8;
/** A process that does not read its events gets no more of them. */
const MAX_BUFFERED = 64 * 1024;

export class RunEvents {
  readonly #sockets = new Map<string, Set<WebSocket>>();

  /** From now on the run may connect. */
  open(runId: string): void {
    this.#sockets.set(runId, new Set());
  }

  connect(runId: string, socket: WebSocket): void {
    // It may have closed while its token was looked up.
    if (socket.readyState !== socket.OPEN) return;
    const sockets = this.#sockets.get(runId);
    if (sockets === undefined || sockets.size >= MAX_SOCKETS)
      return socket.close(1008, 'There is no such run');
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  }

  /** False where nobody listens. */
  send(runId: string, name: RunEventName, data: unknown, now: number): boolean {
    const sockets = this.#sockets.get(runId);
    if (sockets === undefined || sockets.size === 0) return false;
    const message = JSON.stringify({ name, createdAt: new Date(now).toISOString(), data });
    for (const socket of sockets) {
      if (socket.bufferedAmount < MAX_BUFFERED) socket.send(message);
    }
    return true;
  }

  /** The process has ended. */
  close(runId: string): void {
    for (const socket of this.#sockets.get(runId) ?? []) socket.close(1000);
    this.#sockets.delete(runId);
  }
}
