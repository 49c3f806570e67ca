// Mounts raw routes: admits the caller as for every other call of the API, and hands over the request.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { admit } from './admit.ts';
import { checkHead, asFailure } from './server/bad-requests.ts';
import type { Api, ApiProtocol } from './protocol.ts';
import { Failure } from '../failure.ts';
import { ServerResponse } from '../network/http-client.ts';
import type { Kernel } from '../kernel.ts';
import { ActiveRequestContext } from './request-context.ts';
import type { ApiHandlers } from './api-router.ts';
import type { ClientSocket, RawAnswer, RawRoute, RawRouteCall } from './raw-route.ts';
import type { RouteShape } from './route.ts';
import { finishCall } from './finish-call.ts';
import { ReplySender } from './reply/send.ts';
import { defaultVersion } from '../versions/version.ts';

export function serveRaw(app: FastifyInstance, { protocol, rawRoutes = [] }: Api, kernel: Kernel): void {
  const upgrades = new WeakMap<IncomingMessage, ClientSocket>();
  for (const route of rawRoutes) {
    if (!('prefix' in route.at)) continue;
    const { prefix } = route.at;
    kernel.contentOrigin?.add(prefix, () => route.isContent === true);
    const handlers = rawHandlers(route, protocol, kernel, upgrades);
    void app.register(
      (scope, _options, done) => {
        scope.addHook('onRequest', handlers.onRequest);
        scope.setErrorHandler(handlers.onError);
        // The path without a slash, and methods that Fastify does not know: the hook has answered them.
        scope.apis.add(prefix, handlers);
        scope.route({ method: scope.supportedMethods, url: '/*', handler: () => {} });
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

/** What answers the requests of one route. */
export function rawHandlers(
  route: RawRoute,
  protocol: ApiProtocol,
  kernel: Kernel,
  upgrades?: WeakMap<IncomingMessage, ClientSocket>,
): ApiHandlers & { shape: RouteShape } {
  const { id, at, access, limit, challenge } = route;
  const send = new ReplySender(protocol, kernel);
  // Calls are data: the changes that they cause are those of the programs behind them.
  const place = 'prefix' in at ? { method: 'GET' as const, path: `${at.prefix}/*` } : at;
  const kind = { isData: true, produces: '*/*', ...(limit && { limit }) } as const;
  const shape: RouteShape = { id, ...place, summary: id, access, ...kind };
  const categories = protocol.limits.categoriesOf(shape).map((part) => `${protocol.name}.${part}`);

  const cost = protocol.limits.secondary?.costOf(shape);

  const begin = ({ method, url, headers, ip: address }: FastifyRequest) =>
    new ActiveRequestContext({
      now: kernel.clock.now(),
      method,
      url,
      site: kernel.publicUrl,
      prefix: '',
      headers,
      address,
      version: defaultVersion(protocol.versions),
      shape,
      categories,
      limits: kernel.limits,
      overridden: undefined,
    });

  /** An error may come before the permission was checked, such as that of a database that is away. */
  const open = async (call: ActiveRequestContext): Promise<RawAnswer> => {
    const opened = call as unknown as RawRouteCall;
    try {
      const forward = await route.open(opened, kernel);
      call.assertPermissionChecked(false);
      return forward;
    } catch (error) {
      const refusal = route.refuse?.(error, opened, kernel);
      if (refusal === undefined) throw error;
      return refusal;
    }
  };

  const answer = async (
    { call, match, raw: request }: FastifyRequest,
    { raw: response }: FastifyReply,
  ): Promise<void> => {
    const params = match?.params ?? {};
    const upgrade = upgrades?.get(request);
    call.response = response;
    upgrade?.socket.once('close', () => call.leave());
    const elsewhere = route.isContent === true ? kernel.contentOrigin?.redirectOf(call) : undefined;
    if (elsewhere !== undefined) {
      response
        .writeHead(302, { location: elsewhere, 'cache-control': 'no-store', 'content-length': '0' })
        .end();
      return finishCall(call, 302, protocol, kernel);
    }
    const forward = await open(Object.assign(call, { params }));
    await forward({ request, response, ...(upgrade && { upgrade }) });
    finishCall(call, response.statusCode, protocol, kernel);
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) => {
    const { raw: response } = reply;
    // Many clients read the error only after they have sent the whole body.
    request.raw.resume();
    if (response.headersSent || response.destroyed) return response.destroy();
    return send.failure(reply, request.call, challenged(asFailure(error), challenge), error);
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
      const admitted = admit(call, protocol, kernel, { cost, ending: reply.raw });
      const enter = (refusal: Error | undefined) => (refusal === undefined ? go() : done(refusal));
      if (admitted instanceof Promise) admitted.then(enter, done);
      else enter(admitted);
    } catch (error) {
      done(error as Error);
    }
  };
  const onError = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    void refuse(request, reply, error);
  return { shape, onRequest, onError, handle: () => {} };
}

/** Tells the client how to send a credential. */
function challenged(failure: Failure, challenge: string | undefined): Failure {
  if (challenge === undefined || failure.kind !== 'unauthenticated') return failure;
  const headers = { ...failure.details.headers, 'www-authenticate': challenge };
  return new Failure(failure.kind, failure.message, { ...failure.details, headers });
}

/** Browsers send no credential with it; the program is asked with the call that follows. */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers['access-control-request-method'] !== undefined &&
    headers.authorization === undefined
  );
}
