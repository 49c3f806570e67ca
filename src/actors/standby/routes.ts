// The proxy: requests for programs in standby mode, and for the web server of one run.
import { checkBrowser, openRun } from '../runs/access.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { publicPathOf } from '../../kernel/http/public-path.ts';
import type { RawExchange, RawRoute, RawRouteCall } from '../../kernel/http/raw-route.ts';
import { markServerReady } from '../runs/store.ts';
import type { WebServer } from '../runs/web-server.ts';
import { forward, NODE_ANSWER_MS, Unreached } from './forward.ts';
import { forwardToNode, forwardToProgram, readForwarding, signForwarding } from './forwarding-target.ts';
import { noWebServer, parseTarget, tooManyWaiting, type ProxyTarget } from './model.ts';
import { nodeOutOfReach } from './nodes.ts';
import { openStandby } from './open-standby.ts';
import { nameOf } from './pools.ts';
import { findNodeOfRun } from './store-nodes.ts';

const STANDBY = '/standby';
const CONTAINER = '/container';
/** Runs that a request is offered to. */
const MAX_TRIES = 3;

export const standbyRoute: RawRoute = {
  id: 'standby',
  isContent: true,
  at: { prefix: STANDBY },
  access: { action: 'runActor', others: ['runTask'], ofOwner: true },
  async open(call, kernel) {
    const source = sourceOf(kernel, call, STANDBY);
    const { target } = source;
    const { standby } = kernel.services;
    const { key, settings, start } = await openStandby(kernel, call, target.name, source.address);
    const home = source.isForwarded ? undefined : await standby.directory.homeOf(kernel, nameOf(key));
    return async (exchange) => {
      if (home !== undefined) return await passOn(kernel, call, exchange, home);
      for (let tries = MAX_TRIES; ; tries -= 1) {
        const server = await standby.acquire(key, settings, start, call.signal);
        const failure = await pass(kernel, source, exchange, server).then(() => undefined, unreached);
        if (failure === undefined) return;
        // Its program is dead, or about to be: another run takes the request.
        server.end();
        if (tries === 1 || call.signal.aborted) throw failure;
      }
    };
  },
};

export const containerRoute: RawRoute = {
  id: 'container',
  isContent: true,
  at: { prefix: CONTAINER },
  access: { action: 'viewRun', others: ['updateRun'], ofOwner: true },
  async open(call, kernel) {
    const source = sourceOf(kernel, call, CONTAINER);
    const run = await openRun(kernel, call, source.target.name, isRead(call) ? 'viewRun' : 'updateRun');
    return async (exchange) => {
      const server = kernel.services.webServers.find(run.id);
      if (run.status === 'RUNNING' && server === undefined && !source.isForwarded && kernel.engine.isShared) {
        const node = await findNodeOfRun(kernel.db, run.id);
        if (node?.url === null && node.name !== kernel.services.thisNode.name) throw nodeOutOfReach();
        if (node?.url != null) return await passOn(kernel, call, exchange, node.url);
      }
      if (run.status !== 'RUNNING' || server === undefined)
        throw noWebServer(`The run has no web server: its status is ${run.status}.`);
      if (server.isFull) throw tooManyWaiting(server.requests);
      server.enter();
      const failure = await pass(kernel, source, exchange, server, () => greet(server)).then(
        () => undefined,
        unreached,
      );
      if (failure !== undefined) throw failure;
    };
  },
};

interface RequestSource {
  target: ProxyTarget;
  /** Whether another node has sent it here. */
  isForwarded: boolean;
  /** Of the client. */
  address: string;
  host: string | undefined;
  signal: AbortSignal;
}

function sourceOf(kernel: Kernel, call: RawRouteCall, prefix: string): RequestSource {
  const client = readForwarding(kernel, call);
  const isForwarded = client !== undefined;
  const target = parseTarget(call.url, prefix);
  if (target === undefined || (!isForwarded && !kernel.settings.execution.isPublic))
    throw new Failure('no-route', `There is nothing at ${prefix}`);
  // A link to the origin of content names the session; no browser adds anything by itself there.
  if (kernel.contentOrigin?.isAskedBy(call.headers) !== true) checkBrowser(call, kernel.publicUrl);
  const { headers, signal, address } = call;
  return { target, isForwarded, signal, address: client ?? address, host: headers['host']?.toString() };
}

/** Forwards a request that the server has counted already. */
async function pass(
  kernel: Kernel,
  { target: { base, path }, address, host, signal }: RequestSource,
  exchange: RawExchange,
  server: WebServer,
  prepare?: () => Promise<void>,
): Promise<void> {
  const { publicUrl } = kernel;
  const client = { address, publicUrl, base: publicPathOf(publicUrl) + base, path, host };
  const onAnswer = () => {
    if (!server.isReady) noteReady(kernel, server);
  };
  if (exchange.upgrade) kernel.services.standby.sockets.add(exchange.upgrade.socket);
  try {
    await prepare?.();
    await forward({ exchange, target: forwardToProgram(exchange, server, client), signal, onAnswer });
  } finally {
    server.leave();
  }
}

/** The failure, where the request can be sent elsewhere. */
function unreached(error: unknown): Error {
  if (error instanceof Unreached) return error.failure;
  throw error;
}

/** Forwards a request to the node that counts it. */
async function passOn(kernel: Kernel, call: RawRouteCall, exchange: RawExchange, url: string): Promise<void> {
  const { directory, sockets } = kernel.services.standby;
  const target = forwardToNode(exchange, {
    url,
    agent: directory.agent,
    signature: signForwarding(kernel, call),
  });
  if (exchange.upgrade) sockets.add(exchange.upgrade.socket);
  let hasAnswered = false;
  const onAnswer = () => {
    hasAnswered = true;
  };
  await forward({ exchange, target, signal: call.signal, answerMs: NODE_ANSWER_MS, onAnswer }).catch(
    (error: unknown) => {
      if (!hasAnswered && !call.signal.aborted) directory.avoid(kernel, url);
      throw unreached(error);
    },
  );
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
