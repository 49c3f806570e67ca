// Asks the web server of a run whether it is ready: any answer to a GET of its root will do.
import { setTimeout as delay } from 'node:timers/promises';
import { openHttpRequest } from '../../kernel/network/open-request.ts';
import { SECRET_HEADER, type WebServer } from '../runs/web-server.ts';
import { PROBE_HEADER } from './request-head.ts';

/** The pauses grow: most programs are ready within a second or take long. */
const PAUSE_MS = { least: 25, most: 500, growth: 1.3 };
/** One that accepts the connection and then says nothing is asked again. */
const ANSWER_MS = 30_000;

/** True once it has answered; false where its process ended before, or where another program has its port. */
export async function waitUntilReady(server: WebServer): Promise<boolean> {
  const { signal } = server.closed;
  for (
    let pause: number = PAUSE_MS.least;
    !signal.aborted;
    pause = Math.min(pause * PAUSE_MS.growth, PAUSE_MS.most)
  ) {
    // Before the first request: one that is not the run's program must not learn the secret.
    const isGenuine = await server.isGenuine();
    if (isGenuine !== false && (await answers(server))) return true;
    await delay(pause, undefined, { signal, ref: false }).catch(() => {});
  }
  return false;
}

function answers({ address, secret, closed }: WebServer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const options = {
    ...('port' in address ? { host: '127.0.0.1', ...address } : address),
    path: '/',
    headers: { [PROBE_HEADER]: '1', [SECRET_HEADER]: secret, connection: 'close' },
    agent: false,
    timeout: ANSWER_MS,
    signal: closed.signal,
  };
  const probe = openHttpRequest(undefined, options, {
    response(reply) {
      reply.destroy();
      resolve(true);
    },
    error: () => resolve(false),
  });
  probe.on('timeout', () => probe.destroy());
  probe.end();
  return promise;
}
