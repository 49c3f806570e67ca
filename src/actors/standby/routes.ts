// The proxy: requests for programs in standby mode, and for the web server of one run.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawExchange, RawRoute, RawRouteCall } from '../../kernel/raw-route.ts';
import { openRun } from '../runs/access.ts';
import { markServerReady } from '../runs/store.ts';
import type { WebServer } from '../runs/web-server.ts';
import { forward } from './forward.ts';
import { noWebServer, parseTarget, tooManyWaiting, type ProxyTarget } from './model.ts';
import { openStandby } from './open-standby.ts';

const STANDBY = '/standby';
const CONTAINER = '/container';

export const standbyRoute: RawRoute = {
  id: 'standby',
  prefix: STANDBY,
  access: { action: 'runActor', others: ['runTask'], ofOwner: true },
  async open(call, kernel) {
    checkBrowser(call, kernel.publicUrl);
    const target = targetOf(call, STANDBY);
    const { key, settings, start } = await openStandby(kernel, call, target.name);
    return async (exchange) => {
      const server = await kernel.services.standby.acquire(key, settings, start, call.signal);
      await pass(kernel, call, exchange, target, server);
    };
  },
};

export const containerRoute: RawRoute = {
  id: 'container',
  prefix: CONTAINER,
  access: { action: 'viewRun', others: ['updateRun'], ofOwner: true },
  async open(call, kernel) {
    checkBrowser(call, kernel.publicUrl);
    const target = targetOf(call, CONTAINER);
    const run = await openRun(kernel, call, target.name, isRead(call) ? 'viewRun' : 'updateRun');
    return async (exchange) => {
      const server = kernel.services.webServers.find(run.id);
      if (run.status !== 'RUNNING' || server === undefined)
        throw noWebServer(`The run has no web server: its status is ${run.status}.`);
      if (server.isFull) throw tooManyWaiting(server.requests);
      server.enter();
      await pass(kernel, call, exchange, target, server, () => greet(server));
    };
  },
};

function targetOf(call: RawRouteCall, prefix: string): ProxyTarget {
  const target = parseTarget(call.url, prefix);
  if (target === undefined) throw new Failure('no-route', `There is nothing at ${prefix}`);
  return target;
}

/** Forwards a request that the server has counted already. */
async function pass(
  kernel: Kernel,
  { address, headers, signal }: RawRouteCall,
  exchange: RawExchange,
  { base, path }: ProxyTarget,
  server: WebServer,
  prepare?: () => Promise<void>,
): Promise<void> {
  const client = { address, publicUrl: kernel.publicUrl, base, path, host: headers['host']?.toString() };
  const onAnswer = () => {
    if (!server.isReady) noteReady(kernel, server);
  };
  if (exchange.upgrade) kernel.services.standby.sockets.add(exchange.upgrade.socket);
  try {
    await prepare?.();
    await forward({ exchange, client, server, signal, onAnswer });
  } finally {
    server.leave();
  }
}

function noteReady({ db, log }: Kernel, server: WebServer): void {
  server.isReady = true;
  const { id } = server.run;
  markServerReady(db, id).catch((error: unknown) => {
    log.warn({ err: error, run: id }, 'cannot save that a run is ready');
  });
}

/** Another program may have taken the port before the run's own did. */
async function greet(server: WebServer): Promise<void> {
  if (server.isReady || (await server.isGenuine()) !== false) return;
  throw noWebServer(`The program of the run ${server.run.id} does not listen on its port.`);
}

/** What a program does with other methods, or over a WebSocket, is its own affair. */
function isRead({ method, headers }: RawRouteCall): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['upgrade'] === undefined;
}

/**
 * Browsers send the session with links from other sites too, and each request may start a run: with a session it must come
 * from this server's own pages, or from the address bar. Pages of programs are no pages of this server: they have no origin.
 */
function checkBrowser({ caller, headers }: RawRouteCall, publicUrl: string): void {
  if (caller.kind !== 'session') return;
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? headers['origin'] === new URL(publicUrl).origin
      : site === 'same-origin' || site === 'none';
  if (isOwn) return;
  throw new Failure(
    'forbidden',
    'With a session, this can be called from pages of this server and from the address bar of a browser only. Use an access token elsewhere.',
  );
}
