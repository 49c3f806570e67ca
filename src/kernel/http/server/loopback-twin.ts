// Holds the port on the other loopback address, too: a program that listened there would be the same origin to browsers. ADR 0123.
import { once } from 'node:events';
import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createSocketServer } from '../../network/streams.ts';

/** A host of the settings: what the server listens on, and where else it holds its port. */
export interface ListenHosts {
  host: string;
  twin?: string;
}

/** Listening on `::` means all addresses of both kinds. One address of a network has a name and an origin of its own. */
export function listenHostsOf(host: string): ListenHosts {
  switch (host) {
    case '127.0.0.1':
    case 'localhost':
      return { host: '127.0.0.1', twin: '::1' };
    case '0.0.0.0':
      return { host, twin: '::1' };
    case '::1':
      return { host, twin: '127.0.0.1' };
    default:
      return { host };
  }
}

const LOOPBACKS = ['127.0.0.1', '::1'];

/** A proxy on this machine that calls `localhost` may come from either. */
export function withBothLoopbacks(addresses: readonly string[]): string[] {
  return addresses.some((address) => LOOPBACKS.includes(address))
    ? [...new Set([...addresses, ...LOOPBACKS])]
    : [...addresses];
}

/** What systems without IPv6 answer. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'EPROTONOSUPPORT']);

/**
 * Its connections are those of the app's server, with the same limits and time-outs. Undefined where the machine has no IPv6;
 * throws where another program holds the port.
 */
export async function openTwin(
  app: FastifyInstance,
  host: string,
  port: number,
  backlog: number,
): Promise<Server | undefined> {
  // As Node creates its own servers.
  const isEncrypted = 'setSecureContext' in app.server;
  const twin = createSocketServer(
    (socket) => {
      if (app.server.listening) app.server.emit('connection', socket);
      else socket.destroy();
    },
    { allowHalfOpen: !isEncrypted, noDelay: true },
  );
  twin.listen({ host, port, backlog, ipv6Only: host === '::1' });
  try {
    await once(twin, 'listening');
    return twin;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (host === '::1' && NO_IPV6.has(code)) return undefined;
    throw error;
  }
}

export async function closeTwin(twin: Server): Promise<void> {
  if (!twin.listening) return;
  const closed = once(twin, 'close');
  twin.close();
  await closed;
}
