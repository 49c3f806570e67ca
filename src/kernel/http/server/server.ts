// The HTTP server: Fastify with limits and timeouts, TLS, upgrades to WebSockets, and the operator's endpoints.
import { constants } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Server as SocketServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { fastify, type FastifyInstance } from 'fastify';
import { takeSessionLink } from '../../identity/sessions/session-link.ts';
import type { Kernel } from '../../kernel.ts';
import { isSameSecret } from '../../secrets/secret.ts';
import { ApiRouter } from '../api-router.ts';
import { ReservedPathSegments } from '../path-template.ts';
import { closeTwin, withBothLoopbacks } from './listen.ts';
import type { ContentOrigin } from '../content-origin.ts';
import { MethodOverrides } from '../method-override.ts';
import { READ_HEAD_BYTES, BadRequests } from './bad-requests.ts';
import { guarded, withErrorListener } from '../../network/streams.ts';
import { routedPath } from '../prefixes.ts';
import { placeAddress, placePage, withoutPublicPath } from '../public-path.ts';

declare module 'fastify' {
  interface FastifyInstance {
    apis: ApiRouter;
    badRequests: BadRequests;
    overrides: MethodOverrides;
    upgrades: Upgrades;
    reservedPathSegments: ReservedPathSegments;
    /** Further addresses on which its server is reached. */
    twins: SocketServer[];
  }
}

export interface ServerOptions {
  tls?: { cert: string; key: string };
  /** Addresses of proxies whose X-Forwarded-* headers are believed. */
  trustProxy?: string[];
  /** Where a proxy serves it beside others: see public-path.ts. */
  publicPath?: string;
  content?: ContentOrigin | undefined;
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
  publicPath = '',
  content,
  headersMs = HEADERS_MS,
  log,
}: ServerOptions): FastifyInstance {
  const badRequests = new BadRequests(publicPath);
  const overrides = new MethodOverrides();
  const upgrades = new Upgrades(publicPath);
  const apis = new ApiRouter();
  const reading = {
    maxHeaderSize: READ_HEAD_BYTES,
    headersTimeout: headersMs,
    connectionsCheckingInterval: headersMs / CHECKS_PER_TIMEOUT,
    // A request without a Host header is answered by its API, in its own error format.
    requireHostHeader: false,
    // A request without headers of a body needs no stream that ends.
    optimizeEmptyRequests: true,
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
      content?.forgetSession(request);
      overrides.apply(request);
      const url = withoutPublicPath(request.url ?? '/', publicPath);
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
  if (content !== undefined) serveContentOnly(app, content);
  upgrades.attach(app.server);
  app.decorate('upgrades', upgrades);
  apis.attach(app);
  app.decorate('apis', apis);
  app.server.on('request', (_request, response) => badRequests.watch(response));
  // Unknown `Expect` headers are ignored: Node would answer 417 with an empty body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('call');
  app.decorateRequest('match');
  if (publicPath !== '') placePages(app, publicPath);
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

/** At its origin: neither console nor login, and of the APIs what users have stored. */
function serveContentOnly(app: FastifyInstance, content: ContentOrigin): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!content.isAskedBy(request.headers)) return done();
    content.seal(request.raw, reply.raw);
    if (content.serves(request)) return done();
    void reply
      .code(404)
      .header('content-type', 'text/plain; charset=utf-8')
      .send('This address serves only what users have stored.\n');
  });
}

/** Of pages and redirects, which handlers write from the root of the server. APIs place theirs themselves. */
function placePages(app: FastifyInstance, publicPath: string): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const { location, 'content-type': type } = reply.getHeaders();
    if (typeof location === 'string') void reply.header('location', placeAddress(location, publicPath));
    const isPage = typeof payload === 'string' && String(type).startsWith('text/html');
    done(null, isPage ? placePage(payload, publicPath) : payload);
  });
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
  app.get('/metrics', async (request, reply) => {
    const { metrics } = kernel;
    if (metricsToken === undefined || isBearer(request.headers.authorization, metricsToken))
      return reply.header('content-type', metrics.contentType).send(await metrics.read());
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

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Upgrades to WebSockets, by path: a request elsewhere that asks for an upgrade is answered as an ordinary one. */
class Upgrades {
  readonly #publicPath: string;
  readonly #handlers: { prefix: string; handle: UpgradeHandler }[] = [];
  #server: Server | undefined;

  constructor(publicPath: string) {
    this.#publicPath = publicPath;
  }

  attach(server: Server): void {
    this.#server = server;
  }

  /**
   * The prefix '' stands for all paths. Node before 24.9 cannot choose by request: there every client that offers HTTP/2 by an
   * upgrade would lose its call, so that upgrades work only on servers where all paths have them.
   */
  add(prefix: string, handle: UpgradeHandler): void {
    const server = this.#server!;
    this.#handlers.push({ prefix, handle });
    if (server.listenerCount('upgrade') > 0 || (prefix !== '' && !('shouldUpgradeCallback' in server)))
      return;
    const answer: UpgradeHandler = (request, socket, head) => {
      withErrorListener(socket);
      const handler = this.#handlerOf(request);
      if (handler === undefined) socket.destroy();
      else handler(request, socket, head);
    };
    server.on(
      'upgrade',
      guarded(answer, (_error, _request, socket) => socket.destroy()),
    );
  }

  accepts(request: IncomingMessage): boolean {
    return request.headers.upgrade?.toLowerCase() === 'websocket' && this.#handlerOf(request) !== undefined;
  }

  #handlerOf({ url = '/' }: IncomingMessage): UpgradeHandler | undefined {
    const path = `${routedPath(withoutPublicPath(url, this.#publicPath))}/`;
    return this.#handlers.find(({ prefix }) => path.startsWith(`${prefix}/`))?.handle;
  }
}
