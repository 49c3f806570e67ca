// The one way to send a request to another program: whatever that answers, one of the handlers hears of it, and no error is left
// without a listener.
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { request as requestPlain } from './http-client.ts';
import { guarded, withErrorListener } from './streams.ts';

export interface ReplyHandlers {
  /** Called at most once, with a status of 200 or more. What it throws goes to `error`, and the connection is closed. */
  response(reply: IncomingMessage): void;
  /** Called at least once where there is no reply, and perhaps after one that breaks off. */
  error(error: NodeJS.ErrnoException): void;
  /** Without it, a change of protocol is an error. The socket has a listener for its errors. */
  upgrade?(reply: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Called when the request has a connection, which may still be connecting. */
  socket?(socket: Duplex & { connecting?: boolean }): void;
}

/** More replies of the kind 1xx before the true one are no HTTP that anybody speaks: without a limit they may have no end. */
const MAX_INTERIM_REPLIES = 32;

/** By the protocol of the URL or of the options: plain, or TLS. The caller ends the request. */
export function openHttpRequest(
  target: URL | undefined,
  options: RequestOptions & { rejectUnauthorized?: boolean },
  handlers: ReplyHandlers,
): ClientRequest {
  const isSecure = (target?.protocol ?? options.protocol) === 'https:';
  const send = isSecure ? secureRequest() : requestPlain;
  const outgoing = target === undefined ? send(options) : send(target, options);
  let isAnswered = false;
  let interim = 0;
  const fail = (error: Error): void => {
    isAnswered = true;
    handlers.error(error);
    outgoing.destroy();
  };
  outgoing.on('error', (error) => {
    isAnswered = true;
    handlers.error(error);
  });
  outgoing.on('information', () => {
    interim += 1;
    if (interim > MAX_INTERIM_REPLIES)
      fail(new Error(`There were more than ${MAX_INTERIM_REPLIES} interim replies.`));
  });
  outgoing.on(
    'response',
    guarded((reply: IncomingMessage) => {
      if (isAnswered) return;
      const { statusCode: status = 0 } = reply;
      if (status < 200) throw new Error(`${String(status).padStart(3, '0')} is no status of HTTP.`);
      isAnswered = true;
      handlers.response(reply);
    }, fail),
  );
  outgoing.on('upgrade', (reply, socket, head) => {
    withErrorListener(socket);
    guarded(
      () => {
        if (handlers.upgrade === undefined)
          throw new Error('The server changes the protocol, which nobody asked for.');
        isAnswered = true;
        handlers.upgrade(reply, socket, head);
      },
      (error) => {
        socket.destroy();
        fail(error);
      },
    )();
  });
  const { socket: onSocket } = handlers;
  if (onSocket !== undefined) outgoing.on('socket', guarded(onSocket, fail));
  outgoing.on('close', () => {
    if (!isAnswered) handlers.error(new Error('The connection was closed before a reply.'));
  });
  return outgoing;
}

/** Loaded late: many servers never need it. */
function secureRequest(): typeof requestPlain {
  return process.getBuiltinModule('node:https').request;
}
