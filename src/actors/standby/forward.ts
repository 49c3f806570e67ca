// Forwards one request to the web server of a run, and its reply to the client; bodies pass as streams, both ways.
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request as sendRequest } from '../../kernel/http-client.ts';
import type { RawExchange } from '../../kernel/raw-route.ts';
import type { WebServer } from '../runs/web-server.ts';
import { joinSockets } from './join-sockets.ts';
import { noWebServer, webServerTimedOut } from './model.ts';
import { replyHead } from './reply-head.ts';
import { bodyOf, requestHead, type ForwardedClient } from './request-head.ts';

/** The longest time until a program begins to answer. */
const ANSWER_MS = 300_000;
/** Of the head of a reply. */
const MAX_HEAD_BYTES = 64 * 1024;

export interface Forwarding {
  exchange: RawExchange;
  client: ForwardedClient;
  server: WebServer;
  /** Fires when the client goes away. */
  signal: AbortSignal;
  answerMs?: number;
  /** Called when the program begins to answer. */
  onAnswer?(): void;
}

/** Resolves when the exchange is over. Rejects only as long as nothing was sent to the client. */
export async function forward(forwarding: Forwarding): Promise<void> {
  const { exchange, client } = forwarding;
  const sent = await sendHead(forwarding);
  forwarding.onAnswer?.();
  if (sent.kind === 'upgrade') {
    const { response, upgrade } = exchange;
    response.detachSocket(upgrade!.socket as Socket);
    response.statusCode = 101;
    return await joinSockets(upgrade!, sent, client);
  }
  const { reply } = sent;
  const { request, response } = exchange;
  response.writeHead(reply.statusCode!, replyHead(reply, client));
  // The head of a stream must not wait for its first byte.
  if (reply.headers['content-length'] === undefined) response.flushHeaders();
  // Where one side breaks off, so does the other: there is no way to say it once the head is sent.
  await pipeline(reply, response).catch(() => response.destroy());
  request.unpipe();
  request.resume();
}

export type UpgradedReply = { kind: 'upgrade'; reply: IncomingMessage; socket: Duplex; head: Buffer };
type Answer = UpgradedReply | { kind: 'reply'; reply: IncomingMessage };

async function sendHead(forwarding: Forwarding): Promise<Answer> {
  const { exchange, signal } = forwarding;
  const hasBody = bodyOf(exchange.request.headers) !== undefined;
  // A connection that is kept may be closed by the program at the moment of use. What has a body cannot be sent again.
  const isKept = !hasBody && exchange.upgrade === undefined;
  try {
    return await attempt(forwarding, isKept);
  } catch (error) {
    if (error !== STALE || signal.aborted) throw error;
    return await attempt(forwarding, false);
  }
}

/** A kept connection that was closed before it answered. */
const STALE = new Error('The connection was closed.');

function attempt(forwarding: Forwarding, isKept: boolean): Promise<Answer> {
  const { exchange, client, server, signal, answerMs = ANSWER_MS } = forwarding;
  const { request, upgrade } = exchange;
  const body = bodyOf(request.headers);
  const isUpgrade = upgrade !== undefined;
  const { rawHeaders, method } = request;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const upstream: ClientRequest = sendRequest({
    ...('port' in server.address ? { host: '127.0.0.1', ...server.address } : server.address),
    method: method!,
    path: client.path,
    headers: requestHead({ rawHeaders, body, isUpgrade, client }, server, isKept),
    agent: isKept ? server.agent : false,
    maxHeaderSize: MAX_HEAD_BYTES,
    setDefaultHeaders: false,
  });
  const timer = setTimeout(() => {
    reject(
      webServerTimedOut(
        `The program of the run ${server.run.id} has not answered within ${answerMs / 1000} seconds.`,
      ),
    );
    upstream.destroy();
  }, answerMs);
  const abandon = () => upstream.destroy();
  signal.addEventListener('abort', abandon, { once: true });
  upstream.on('response', (reply) => resolve({ kind: 'reply', reply }));
  upstream.on('upgrade', (reply, socket, head) => {
    signal.removeEventListener('abort', abandon);
    resolve({ kind: 'upgrade', reply, socket, head });
  });
  upstream.on('error', (error) => {
    request.unpipe(upstream);
    if (upstream.reusedSocket && isKept && !server.closed.signal.aborted) reject(STALE);
    else
      reject(
        noWebServer(
          `The program of the run ${server.run.id} does not answer, or has ended. See its log.`,
          error,
        ),
      );
  });
  upstream.on('close', () => signal.removeEventListener('abort', abandon));
  if (body === undefined) upstream.end();
  else request.pipe(upstream);
  return promise.finally(() => clearTimeout(timer));
}
