// A proxy in front of PostgreSQL that counts how often a server waits for an answer: statements that are sent together are one round trip.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';

/** Longer than workers rest between two looks at what waits. */
const QUIET_MS = 100;

export interface CountingProxy {
  /** The same database through the proxy. */
  url: string;
  /** On all connections, since the start. */
  readonly roundTrips: number;
  /** Resolves when nothing has been sent for a while: what follows a call has ended. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

export async function startCountingProxy(database: string): Promise<CountingProxy> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  let roundTrips = 0;

  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    let isAnswered = true;
    client.on('data', () => {
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
    });
    server.on('data', () => (isAnswered = true));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one));
      one.pipe(other);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(database);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    get roundTrips() {
      return roundTrips;
    },
    async quiet() {
      let before = -1;
      await eventually(async () => {
        const isQuiet = before === roundTrips;
        before = roundTrips;
        if (!isQuiet) await delay(QUIET_MS);
        return isQuiet;
      }, 'a quiet server');
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
