// Forwards one request, and its reply to the client; bodies pass as streams, both ways. The two connections of a WebSocket become one, until either side ends it.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { openHttpRequest } from '../../kernel/network/open-request.ts';
import { guarded } from '../../kernel/network/streams.ts';
import type { RawExchange, ClientSocket } from '../../kernel/http/raw-route.ts';
import type { ForwardingTarget } from './forwarding-target.ts';
import { webServerTimedOut } from './model.ts';
import { bodyOf } from './message-heads.ts';

/** The longest time until the other side begins to answer. */
const ANSWER_MS = 300_000;
/** Another node waits for a run first. */
export const NODE_ANSWER_MS = 2 * ANSWER_MS + 10_000;
/** Of the head of a reply. */
const MAX_HEAD_BYTES = 64 * 1024;

interface Forwarding {
  exchange: RawExchange;
  target: ForwardingTarget;
  /** Fires when the client goes away. */
  signal: AbortSignal;
  answerMs?: number;
  /** Called when the other side begins to answer. */
  onAnswer?(): void;
}

/** Resolves when the exchange is over. Rejects only as long as nothing was sent to the client; see `Unreached`. */
export async function forward(forwarding: Forwarding): Promise<void> {
  const { exchange, target } = forwarding;
  const { request, response, upgrade } = exchange;
  const answer = await sendHead(forwarding);
  forwarding.onAnswer?.();
  if (answer.kind === 'upgrade') {
    response.detachSocket(upgrade!.socket as Socket);
    response.statusCode = 101;
    return await joinSockets(upgrade!, answer, target.replyHead(answer.reply));
  }
  const { reply } = answer;
  try {
    response.writeHead(reply.statusCode!, target.replyHead(reply));
  } catch (error) {
    reply.destroy();
    throw target.failure(error);
  }
  // The head of a stream must not wait for its first byte.
  if (reply.headers['content-length'] === undefined) response.flushHeaders();
  await pipeReply(reply, response);
  request.unpipe();
  request.resume();
}

/**
 * Where one side breaks off, so does the other: there is no way to say it once the head is sent. Resolves at the end of both;
 * `pipeline` would do the same at several times the cost.
 */
function pipeReply(reply: IncomingMessage, response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  reply.on('error', () => response.destroy());
  reply.on('close', () => {
    if (!reply.complete) response.destroy();
  });
  response.on('close', () => {
    if (!reply.readableEnded) reply.destroy();
    resolve();
  });
  // It may have gone before.
  if (response.destroyed) reply.destroy();
  if (response.closed) resolve();
  reply.pipe(response);
  return promise;
}

interface UpgradedReply {
  kind: 'upgrade';
  reply: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}
type Answer = UpgradedReply | { kind: 'reply'; reply: IncomingMessage };

async function sendHead(forwarding: Forwarding): Promise<Answer> {
  const { exchange, signal } = forwarding;
  // A connection that is kept may be closed by the other side at the moment of use. What has a body cannot be sent again.
  const isKept = !hasBody(exchange.request) && exchange.upgrade === undefined;
  try {
    return await attempt(forwarding, isKept);
  } catch (error) {
    if (error !== STALE || signal.aborted) throw error;
    // Only there: where the request itself has ended the program, it must not end the next one too.
    return await attempt(forwarding, false).catch((again: unknown) => {
      throw again instanceof Unreached ? again.failure : again;
    });
  }
}

/** Many clients send a length of 0. */
function hasBody({ headers }: IncomingMessage): boolean {
  const body = bodyOf(headers);
  return body !== undefined && body !== 0;
}

/** There was no connection, so that nothing of the request is gone: it can be sent elsewhere. */
export class Unreached extends Error {
  readonly failure: Error;

  constructor(failure: Error) {
    super('There is no connection.', { cause: failure });
    this.failure = failure;
  }
}

/** A kept connection that was closed before it answered. */
const STALE = new Error('The connection was closed.');

function attempt(
  { exchange, target, signal, answerMs = ANSWER_MS }: Forwarding,
  isKept: boolean,
): Promise<Answer> {
  const { request } = exchange;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let isConnected = false;
  const send = () => {
    isConnected = true;
    if (hasBody(request)) request.pipe(upstream);
  };
  const options = {
    ...target.address,
    method: request.method!,
    path: target.path,
    headers: target.requestHead(isKept),
    agent: isKept ? target.agent : false,
    maxHeaderSize: MAX_HEAD_BYTES,
    setDefaultHeaders: false,
  };
  const upstream: ClientRequest = openHttpRequest(undefined, options, {
    response: (reply) => resolve({ kind: 'reply', reply }),
    ...(exchange.upgrade && {
      upgrade(reply, socket, head) {
        signal.removeEventListener('abort', abandon);
        resolve({ kind: 'upgrade', reply, socket, head });
      },
    }),
    error(error) {
      request.unpipe(upstream);
      if (!isConnected) reject(new Unreached(target.failure(error)));
      else reject(upstream.reusedSocket && isKept && target.isThere() ? STALE : target.failure(error));
    },
    socket(socket) {
      if (socket.connecting === true)
        socket.once(
          'connect',
          guarded(send, (error) => upstream.destroy(error)),
        );
      else send();
    },
  });
  const timer = setTimeout(() => {
    reject(webServerTimedOut(`There was no answer within ${answerMs / 1000} seconds.`));
    upstream.destroy();
  }, answerMs);
  const abandon = () => upstream.destroy();
  signal.addEventListener('abort', abandon, { once: true });
  upstream.on('close', () => signal.removeEventListener('abort', abandon));
  if (!hasBody(request)) upstream.end();
  return promise.finally(() => clearTimeout(timer));
}

/** Connections that are WebSockets now: the HTTP server knows nothing of them, and would wait for them when it stops. */
export class OpenSockets {
  readonly #open = new Set<Duplex>();

  add(socket: Duplex): void {
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
  }

  end(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

async function joinSockets(
  { socket: client, head }: ClientSocket,
  { socket: program, head: first }: Pick<UpgradedReply, 'socket' | 'head'>,
  lines: readonly string[],
): Promise<void> {
  let text = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n';
  for (let index = 0; index < lines.length; index += 2) text += `${lines[index]}: ${lines[index + 1]}\r\n`;
  client.write(`${text}\r\n`, 'latin1');
  if (first.length > 0) client.write(first);
  if (head.length > 0) program.write(head);
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    client.destroy();
    program.destroy();
    resolve();
  };
  for (const socket of [client, program]) socket.on('error', end).on('close', end);
  client.pipe(program).pipe(client);
  // Either may have gone before it had the listeners.
  if (client.destroyed || program.destroyed) end();
  await promise;
}
