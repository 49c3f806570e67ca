// A proxy on loopback for one fetch of a program such as git: it connects to one host only, and only where the guard allows it.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure } from '../failure.ts';
import { isSameSecret } from '../secrets/secret.ts';
import { createHttpServer } from '../network/http-client.ts';
import { openHttpRequest } from '../network/open-request.ts';
import { connect, guarded } from '../network/streams.ts';
import type { Guard } from '../network/guard.ts';

export interface EgressProxy {
  /** With the password: only who has it can use the proxy. */
  readonly url: string;
  readonly password: string;
  /** The reason of the last refusal, which the program reports in words of its own. */
  refusal(): string | undefined;
  close(): Promise<void>;
}

export interface EgressOptions {
  guard: Guard;
  /** The URL that is fetched. A redirect to another host is refused. */
  url: URL;
  /** In both directions together. */
  maxBytes: number;
}

const USER = 'fetch';
const CHALLENGE = 'Basic realm="fetch"';
/** A connection attempt to an address that does not answer must end before the whole fetch does. */
const CONNECT_MS = 20_000;

export async function openEgressProxy({ guard, url, maxBytes }: EgressOptions): Promise<EgressProxy> {
  const password = randomBytes(24).toString('base64url');
  const expected = `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`;
  const sockets = new Set<Duplex>();
  let refusal: string | undefined;
  let bytes = 0;

  const isAuthorized = ({ headers }: IncomingMessage): boolean =>
    isSameSecret(headers['proxy-authorization'] ?? '', expected);

  /** Throws unless the target may be reached. */
  const check = (target: URL): void => {
    if (target.hostname !== url.hostname || !isPortAllowed(url, target)) {
      throw new Failure('invalid', `A redirect to another host, ${target.host}, is not followed.`);
    }
    guard.checkUrl(target);
  };

  const refuse = (error: unknown): string => {
    refusal = error instanceof Error ? error.message : String(error);
    return refusal;
  };

  /** Counts what passes, and ends it at the limit. */
  const count = (socket: Duplex): void => {
    const add = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      refuse(new Error(`More than ${maxBytes.toLocaleString('en')} bytes were transferred.`));
      for (const one of sockets) one.destroy();
    };
    socket.on(
      'data',
      guarded(add, () => socket.destroy()),
    );
  };

  const keep = (socket: Duplex): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };

  function tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): void {
    keep(client);
    const target = isAuthorized(incoming) ? URL.parse(`https://${incoming.url ?? ''}/`) : null;
    try {
      if (target === null)
        return void client.end(
          `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${CHALLENGE}\r\n\r\n`,
        );
      check(target);
    } catch (error) {
      refuse(error);
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const remote = connect({
      host: hostOf(target),
      port: Number(target.port || 443),
      lookup: guard.lookup,
    });
    keep(remote);
    remote.setTimeout(CONNECT_MS, () => remote.destroy(new Error('There was no connection in time.')));
    remote.on('error', (error) => {
      refuse(error);
      if (!remote.connecting && client.writable && remote.bytesRead === 0) client.destroy();
      else client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    remote.on('close', () => client.destroy());
    client.on('close', () => remote.destroy());
    const join = (): void => {
      remote.setTimeout(0);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) remote.write(head);
      count(remote);
      count(client);
      remote.pipe(client).pipe(remote);
    };
    remote.on(
      'connect',
      guarded(join, (error) => remote.destroy(error)),
    );
  }

  function forward(incoming: IncomingMessage, answer: ServerResponse): void {
    if (!isAuthorized(incoming)) return void answer.writeHead(407, { 'proxy-authenticate': CHALLENGE }).end();
    const target = URL.parse(incoming.url ?? '');
    try {
      if (target === null || target.protocol !== 'http:') return void answer.writeHead(400).end();
      check(target);
    } catch (error) {
      return void answer.writeHead(403, { 'content-type': 'text/plain' }).end(refuse(error));
    }
    const options = {
      method: incoming.method ?? 'GET',
      lookup: guard.lookup,
      agent: false,
      headers: forwardedHeaders(incoming),
      timeout: CONNECT_MS,
    };
    const outgoing = openHttpRequest(target, options, {
      socket(socket) {
        keep(socket);
        socket.once(
          'connect',
          guarded(
            () => void outgoing.setTimeout(0),
            () => outgoing.destroy(),
          ),
        );
        count(socket);
      },
      error(error) {
        refuse(error);
        if (answer.headersSent) answer.destroy();
        else answer.writeHead(502).end();
      },
      response(response) {
        answer.writeHead(response.statusCode!, response.headers);
        response.pipe(answer);
        response.on('error', () => answer.destroy());
      },
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('There was no connection in time.')));
    answer.on('close', () => outgoing.destroy());
    incoming.on(
      'data',
      guarded(
        (chunk: Buffer) => void (bytes += chunk.length),
        () => answer.destroy(),
      ),
    );
    incoming.pipe(outgoing);
  }

  const fail = (error: Error, _incoming: IncomingMessage, peer: Duplex | ServerResponse): void => {
    refuse(error);
    peer.destroy();
  };
  const server = createHttpServer(guarded(forward, fail));
  server.on('connect', guarded(tunnel, fail));
  server.on(
    'connection',
    guarded(keep, (_error, socket) => socket.destroy()),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${USER}:${password}@127.0.0.1:${port}`,
    password,
    refusal: () => refusal,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The port of the URL; a server may also send its callers from http to https. */
export function isPortAllowed(url: URL, target: URL): boolean {
  if (portOf(target) === portOf(url)) return true;
  return url.protocol === 'http:' && url.port === '' && portOf(target) === '443';
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

/** Without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

const HOP_BY_HOP = /^(proxy-.*|connection|keep-alive|te|trailer|upgrade)$/;

function forwardedHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.test(name) ? [] : [[name, value]],
    ),
  );
}
