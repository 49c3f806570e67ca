// The HTTP server: Fastify with limits and timeouts, TLS, and the operator's endpoints.
import { constants } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { Failure } from '../../failure.ts';
import { takeSessionLink } from '../../identity/sessions/session-link.ts';
import type { Kernel } from '../../kernel.ts';
import type { Logger } from '../../observability/log.ts';
import { isSameSecret } from '../../secrets/secret.ts';
import { ApiRouter } from '../api-router.ts';
import { ReservedPathSegments } from '../reserved-path-segments.ts';
import { closeTwin, listenHostsOf, openTwin, withBothLoopbacks } from './loopback-twin.ts';
import { findPortHolder } from './port-holder.ts';
import { MethodOverrides } from '../method-override.ts';
import { READ_HEAD_BYTES, BadRequests } from './bad-requests.ts';
import { Upgrades } from './websocket-upgrades.ts';

declare module 'fastify' {
  interface FastifyInstance {
    apis: ApiRouter;
    badRequests: BadRequests;
    overrides: MethodOverrides;
    upgrades: Upgrades;
    reservedPathSegments: ReservedPathSegments;
    /** Further addresses on which its server is reached. */
    twins: Server[];
  }
}

export interface ServerOptions {
  tls?: { cert: string; key: string };
  /** Addresses of proxies whose X-Forwarded-* headers are believed. */
  trustProxy?: string[];
  /** For the head of a request. */
  headersMs?: number;
  /** Gets errors of the sockets that it listens on. */
  log?: { error(line: { err: Error }, words: string): void };
}

const HEADERS_MS = 15_000;
/** Node looks every 30 seconds otherwise, and half-sent heads would stay for three times as long as they may. */
const CHECKS_PER_TIMEOUT = 15;
/** For a whole request with its body: long enough for the largest record over a slow connection. */
const REQUEST_MS = 60 * 60 * 1000;
const KEEP_ALIVE_MS = 72_000;

export function createServer({
  tls,
  trustProxy,
  headersMs = HEADERS_MS,
  log,
}: ServerOptions): FastifyInstance {
  const badRequests = new BadRequests();
  const overrides = new MethodOverrides();
  const upgrades = new Upgrades();
  const apis = new ApiRouter();
  const reading = {
    maxHeaderSize: READ_HEAD_BYTES,
    headersTimeout: headersMs,
    connectionsCheckingInterval: headersMs / CHECKS_PER_TIMEOUT,
    // A request without a Host header is answered by its API, in its own error format.
    requireHostHeader: false,
    shouldUpgradeCallback: (request: IncomingMessage) => upgrades.accepts(request),
  };
  const app = fastify({
    logger: false,
    trustProxy: trustProxy === undefined ? false : withBothLoopbacks(trustProxy),
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // As long as a whole path can be, so that an overlong id is answered by its API as unknown.
    routerOptions: { maxParamLength: READ_HEAD_BYTES },
    schemaController: {
      compilersFactory: { buildValidator: compileNothing, buildSerializer: compileNothing },
    },
    // The one place before routing where a request can still change.
    rewriteUrl: (request) => {
      takeSessionLink(request);
      overrides.apply(request);
      const { url = '/' } = request;
      return url.includes('%') ? repairPath(url) : url;
    },
    clientErrorHandler: (error, socket) => badRequests.refuse(error, socket),
    http: reading,
    ...(tls !== undefined && {
      https: {
        ...tls,
        ...reading,
        minVersion: 'TLSv1.2' as const,
        secureOptions: constants.SSL_OP_CIPHER_SERVER_PREFERENCE,
      },
    }),
  });
  app.addHttpMethod('REPORT', { hasBody: true });
  app.decorate('badRequests', badRequests);
  app.decorate('overrides', overrides);
  // Without a listener the process would end. What happens before it listens is an error of the start.
  app.server.on('error', (error) => {
    if (app.server.listening) log?.error({ err: error }, 'a connection could not be accepted');
  });
  upgrades.attach(app.server);
  app.decorate('upgrades', upgrades);
  apis.attach(app);
  app.decorate('apis', apis);
  app.server.on('request', (_request, response) => badRequests.watch(response));
  // Unknown `Expect` headers are ignored: Node would answer 417 with an empty body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('call');
  app.decorateRequest('match');
  const reservedPathSegments = new ReservedPathSegments();
  app.addHook('onRoute', ({ url }) => reservedPathSegments.add(url));
  app.decorate('reservedPathSegments', reservedPathSegments);
  app.decorate('twins', []);
  // Not awaited: it waits for connections, which are closed after this.
  app.addHook('preClose', (done) => {
    for (const twin of app.twins) void closeTwin(twin);
    done();
  });
  return app;
}

/** Routes are validated by their shapes. Giving Fastify these compilers saves loading its own at start. */
function compileNothing(): never {
  throw new Error('A schema of a route belongs in its shape.');
}

/** A path with invalid percent-encoding is taken literally, so that its API can answer 404 in its own format. */
function repairPath(url: string): string {
  const [path = '', ...query] = url.split('?');
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}

const CLOSE_GRACE_MS = 10_000;
const CLOSE_LOOK_MS = 20;

/** Lets running calls finish. Idle connections are closed at once, all others after the grace period. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const { server, twins } = app;
  const twinsClosed = Promise.all(twins.map(closeTwin));
  const looking = setInterval(() => server.closeIdleConnections(), CLOSE_LOOK_MS);
  const cutting = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  try {
    await app.close();
    await twinsClosed;
  } finally {
    clearInterval(looking);
    clearTimeout(cutting);
  }
}

export interface Readiness {
  /** Whether each component works; never throws. */
  check(): Promise<Record<string, boolean>>;
  /** Further facts, which do not decide whether the server is ready. */
  facts?(): Record<string, unknown>;
}

/** Health, readiness and metrics, for the operator and the orchestrator. */
export function serveOperation(
  app: FastifyInstance,
  kernel: Kernel,
  readiness: Readiness,
  metricsToken?: string,
): void {
  const version = kernel.release;
  app.get('/healthz', () => ({ status: 'ok', version }));
  app.get('/readyz', async (_request, reply) => {
    const checks = await readiness.check();
    const isReady = Object.values(checks).every(Boolean);
    const status = isReady ? 'ready' : 'not ready';
    return reply.code(isReady ? 200 : 503).send({ status, version, checks, ...readiness.facts?.() });
  });
  app.get('/metrics', (request, reply) => {
    if (metricsToken === undefined || isBearer(request.headers.authorization, metricsToken))
      return reply.header('content-type', kernel.metrics.contentType).send(kernel.metrics.text());
    return reply
      .code(401)
      .header('www-authenticate', 'Bearer realm="metrics"')
      .header('content-type', 'text/plain; charset=utf-8')
      .send(
        'The metrics need the token of the setting SIGNALBOX_METRICS_TOKEN: send it as "Authorization: Bearer …".\n',
      );
  });
}

function isBearer(authorization: string | undefined, token: string): boolean {
  const [, given = ''] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return isSameSecret(given, token);
}

export interface Address {
  port: number;
  host: string;
  tlsCert?: string;
}

export function urlOf({ host, tlsCert }: Address, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}

/**
 * How many connections the system accepts before the server does; it may have a lower limit of its own. Thousands of SDKs
 * connect again at once after a restart, and one that is not accepted waits for a second or more.
 */
const BACKLOG = 4096;
/** How many further ports to try. */
const NEXT_PORTS = 20;
/** The timeout for asking the server on a busy port whether it is a Signalbox. */
const HOLDER_MS = 5000;

/**
 * Starts listening and returns the URL; errors say what to do. With a log, a busy port is replaced by the next free one,
 * and the log says why.
 */
export async function listenOn(
  app: FastifyInstance,
  address: Address,
  moves?: Pick<Logger, 'warn'>,
): Promise<string> {
  const isAny = address.port === 0;
  const tries = isAny || moves !== undefined ? NEXT_PORTS : 0;
  let busy: Address | undefined;
  for (let moved = 0; ; moved += 1) {
    const port = isAny ? 0 : address.port + moved;
    const failed = await listenAt(app, address, port);
    if (failed !== undefined) {
      busy ??= failed.address;
      if (failed.error.code === 'EADDRINUSE' && moved < tries && port < 65_535) continue;
      throw await explain(failed.error, failed.address);
    }
    // Finding out who uses the other port takes a while, and this server already answers calls.
    if (busy !== undefined && !isAny)
      void explainBusy(busy).then((words) => moves?.warn(`${words} Port ${port} is used instead.`));
    return urlOf(address, (app.server.address() as AddressInfo).port);
  }
}

/** On both loopback addresses, or on none. Returns what failed, and where. */
async function listenAt(
  app: FastifyInstance,
  address: Address,
  port: number,
): Promise<{ error: NodeJS.ErrnoException; address: Address } | undefined> {
  const { host, twin: twinHost } = listenHostsOf(address.host);
  let twin: Server | undefined;
  try {
    // The twin first: it can be closed, and another port be tried.
    if (twinHost !== undefined) twin = await openTwin(app, twinHost, port, BACKLOG);
  } catch (error) {
    return { error: error as NodeJS.ErrnoException, address: { ...address, port, host: twinHost! } };
  }
  try {
    const bound = twin === undefined ? port : (twin.address() as AddressInfo).port;
    await app.listen({ port: bound, host, backlog: BACKLOG });
  } catch (error) {
    if (twin !== undefined) await closeTwin(twin);
    return { error: error as NodeJS.ErrnoException, address: { ...address, port } };
  }
  if (twin !== undefined) {
    twin.on('error', (error) => app.server.emit('error', error));
    app.twins.push(twin);
  }
  return undefined;
}

async function explain(error: NodeJS.ErrnoException, address: Address): Promise<Error> {
  const { port, host } = address;
  switch (error.code) {
    case 'EADDRINUSE':
      return new Failure(
        'unavailable',
        `${await explainBusy(address)} Stop that one, or choose another port with --port.`,
      );
    case 'EACCES':
      return new Failure(
        'unavailable',
        `Port ${port} is not yours to use. Choose one above 1023 with --port.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Failure(
        'unavailable',
        `${host} is not an address of this machine. Choose another with --host.`,
      );
    default:
      return error;
  }
}

async function explainBusy(address: Address): Promise<string> {
  const { port, host } = address;
  const holder = findPortHolder(port);
  const name = (await isOurs(urlOf(address, port)))
    ? 'another Signalbox'
    : (holder?.name ?? 'another program');
  const process = holder === undefined ? '' : ` (process ${holder.pid})`;
  return `Port ${port} on ${host} is used by ${name}${process}.`;
}

async function isOurs(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HOLDER_MS) });
    const body = (await response.json()) as { status?: unknown; version?: unknown };
    return body.status === 'ok' && typeof body.version === 'string';
  } catch {
    return false;
  }
}
