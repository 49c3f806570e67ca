// The HTTP server itself: Fastify with our limits on size and patience, TLS, and the operator's endpoints.
import { constants } from 'node:crypto';
import { fastify, type FastifyInstance } from 'fastify';
import { Failure } from './failure.ts';
import type { Kernel } from './kernel.ts';
import type { Logger } from './log.ts';
import { findPortHolder } from './port-holder.ts';
import { MethodOverrides } from './method-override.ts';
import { READ_HEAD_BYTES, BadRequests } from './bad-requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    badRequests: BadRequests;
    overrides: MethodOverrides;
  }
}

export interface ServerOptions {
  tls?: { cert: string; key: string };
  /** Addresses of proxies whose X-Forwarded-* headers are believed. */
  trustProxy?: string[];
}

const HEADERS_MS = 15_000;
/** For a whole request, body included: long enough for the largest record over a slow line, and not for ever. */
const REQUEST_MS = 60 * 60 * 1000;
const KEEP_ALIVE_MS = 72_000;

/** A request without a Host is refused by its API, in its own words. */
const READING = { maxHeaderSize: READ_HEAD_BYTES, headersTimeout: HEADERS_MS, requireHostHeader: false };

export function createServer({ tls, trustProxy }: ServerOptions): FastifyInstance {
  const badRequests = new BadRequests();
  const overrides = new MethodOverrides();
  const app = fastify({
    logger: false,
    trustProxy: trustProxy ?? false,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // As long as a whole path can be: an id that is too long is unknown, and its API says so in its own words.
    routerOptions: { maxParamLength: READ_HEAD_BYTES },
    schemaController: {
      compilersFactory: { buildValidator: compileNothing, buildSerializer: compileNothing },
    },
    // The one place before routing where a request can still change.
    rewriteUrl: (request) => {
      overrides.apply(request);
      const { url = '/' } = request;
      return url.includes('%') ? mendPath(url) : url;
    },
    clientErrorHandler: (error, socket) => badRequests.refuse(error, socket),
    http: READING,
    ...(tls !== undefined && {
      https: {
        ...tls,
        ...READING,
        minVersion: 'TLSv1.2' as const,
        secureOptions: constants.SSL_OP_CIPHER_SERVER_PREFERENCE,
      },
    }),
  });
  app.addHttpMethod('REPORT', { hasBody: true });
  app.decorate('badRequests', badRequests);
  app.decorate('overrides', overrides);
  app.server.on('request', (_request, response) => badRequests.watch(response));
  // What else a caller expects is not ours to judge: Node would refuse it without a word.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('call');
  return app;
}

/** Routes are checked by their shapes. Where Fastify is given compilers it need not load its own with every start. */
function compileNothing(): never {
  throw new Error('A schema of a route belongs in its shape.');
}

/** A path with broken percent signs is taken literally: nothing has such a name, and its API says so in its own words. */
function mendPath(url: string): string {
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

/** Lets calls under way finish. A connection that has answered its last call is closed at once; what hangs is cut after a while. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const { server } = app;
  const looking = setInterval(() => server.closeIdleConnections(), CLOSE_LOOK_MS);
  const cutting = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  try {
    await app.close();
  } finally {
    clearInterval(looking);
    clearTimeout(cutting);
  }
}

export interface Readiness {
  /** Whether each part works; throws nothing. */
  check(): Promise<Record<string, boolean>>;
}

/** For the operator and the orchestrator, not for API clients: alive, ready, numbers. */
export function serveOperation(app: FastifyInstance, kernel: Kernel, readiness: Readiness): void {
  const version = kernel.release;
  app.get('/healthz', () => ({ status: 'ok', version }));
  app.get('/readyz', async (_request, reply) => {
    const checks = await readiness.check();
    const isReady = Object.values(checks).every(Boolean);
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', version, checks });
  });
  app.get('/metrics', (_request, reply) =>
    reply.header('content-type', kernel.metrics.contentType).send(kernel.metrics.text()),
  );
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

/** How many ports to try where any will do. */
const NEXT_PORTS = 20;
/** How long the holder of a port has to say whether it is one of us. */
const HOLDER_MS = 5000;

/**
 * Starts listening and returns the URL; what goes wrong is told in a sentence that says what to do. With a log, any of the
 * next ports will do, and the log says why the first one did not.
 */
export async function listenOn(
  app: FastifyInstance,
  address: Address,
  moves?: Pick<Logger, 'warn'>,
): Promise<string> {
  const { host } = address;
  const last = Math.min(address.port + (moves === undefined ? 0 : NEXT_PORTS), 65_535);
  for (let port = address.port; ; port += 1) {
    try {
      await app.listen({ port, host });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE' && port < last) continue;
      throw await explain(error as NodeJS.ErrnoException, address);
    }
    // Asking who holds the other port takes a while, in which calls must be answered already.
    if (port !== address.port) {
      void explainBusy(address).then((words) => moves?.warn(`${words} Port ${port} is used instead.`));
    }
    const bound = app.server.address();
    return urlOf(address, typeof bound === 'object' && bound !== null ? bound.port : port);
  }
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
