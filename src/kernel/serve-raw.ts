// Mounts raw routes: admits the caller as for every other call of the API, and hands over the request.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { admit } from './admit.ts';
import { checkHead } from './bad-requests.ts';
import type { Api, Dialect } from './dialect.ts';
import { Failure } from './failure.ts';
import { asFailure } from './fastify-failure.ts';
import { ServerResponse } from './http-client.ts';
import type { Kernel } from './kernel.ts';
import { LiveCall } from './live-call.ts';
import type { ClientSocket, RawRoute, RawRouteCall } from './raw-route.ts';
import type { RouteShape } from './route.ts';
import { ReplySender } from './send.ts';

export function serveRaw(app: FastifyInstance, { dialect, rawRoutes = [] }: Api, kernel: Kernel): void {
  const upgrades = new WeakMap<IncomingMessage, ClientSocket>();
  for (const route of rawRoutes) {
    const { prefix } = route;
    void app.register(
      (scope, _options, done) => {
        mount(scope, route, dialect, kernel, upgrades);
        done();
      },
      { prefix },
    );
    app.upgrades.add(prefix, (request, socket, head) => {
      upgrades.set(request, { socket, head });
      // From here it goes the way of every request; an error is an ordinary reply, after which the connection ends.
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket as Socket);
      response.on('finish', () => socket.end());
      app.routing(request, response);
    });
  }
}

function mount(
  scope: FastifyInstance,
  route: RawRoute,
  dialect: Dialect,
  kernel: Kernel,
  upgrades: WeakMap<IncomingMessage, ClientSocket>,
): void {
  const { id, prefix, access } = route;
  const send = new ReplySender(dialect, kernel);
  // Calls are data: the changes that they cause are those of the programs behind them.
  const shape: RouteShape = { id, method: 'GET', path: `${prefix}/*`, summary: id, access, isData: true };
  const categories = dialect.limits.categoriesOf(shape).map((part) => `${dialect.name}.${part}`);

  const begin = ({ method, url, headers, ip: address }: FastifyRequest) =>
    new LiveCall({
      now: kernel.clock.now(),
      method,
      url,
      base: kernel.publicUrl,
      headers,
      address,
      version: dialect.versions.names.at(-1)!,
      shape,
      categories,
      limits: kernel.limits,
      overridden: undefined,
    });

  const answer = async ({ call, raw: request }: FastifyRequest, { raw: response }: FastifyReply) => {
    const upgrade = upgrades.get(request);
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    upgrade?.socket.once('close', () => gone.abort());
    const open = route.open(Object.assign(call, { signal: gone.signal }) as unknown as RawRouteCall, kernel);
    const forward = await open;
    call.checkAsked(false);
    await forward({ request, response, ...(upgrade && { upgrade }) });
    send.finish(call, response.statusCode);
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) => {
    const { raw: response } = reply;
    // Many clients read the error only after they have sent the whole body.
    request.raw.resume();
    if (response.headersSent || response.destroyed) return response.destroy();
    return send.failure(reply, request.call, asFailure(error), error);
  };

  const onRequest: onRequestHookHandler = (request, reply, done) => {
    const call = begin(request);
    request.call = call;
    // Before Fastify looks at the body, which is none of its business.
    const go = () => {
      reply.hijack();
      answer(request, reply).catch((error: unknown) => refuse(request, reply, error));
    };
    try {
      checkHead(request.raw);
      if (isPreflight(request)) return send.preflight(reply, call, undefined);
      if (request.method === 'TRACE')
        throw new Failure('wrong-method', 'TRACE is not allowed here.', { headers: { allow: '*' } });
      const admitted = admit(call, dialect, kernel);
      if (admitted === undefined) go();
      else admitted.then(go, done);
    } catch (error) {
      done(error as Error);
    }
  };
  const onError = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    void refuse(request, reply, error);
  scope.addHook('onRequest', onRequest);
  scope.setErrorHandler(onError);
  // The path without a slash, and methods that Fastify does not know: the hook has answered them.
  scope.apis.add(prefix, { onRequest, onError, handle: () => {} });
  scope.route({ method: scope.supportedMethods, url: '/*', handler: () => {} });
}

/** Browsers send no credential with it; the program is asked with the call that follows. */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers['access-control-request-method'] !== undefined &&
    headers.authorization === undefined
  );
}
