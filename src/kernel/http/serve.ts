// Mounts an API on the server and runs each request: admit the caller, read the body, call the handler, send the reply.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { admit } from './admit.ts';
import { shownPath } from './finish-call.ts';
import type { ApiHandlers } from './api-router.ts';
import type { HeldBody } from './body/body-memory.ts';
import { collectBody, inflateBody, piecesOf, tooLarge } from './body/body.ts';
import { checkMediaType } from './body/media-type.ts';
import { LargeBase64, sizeInBase64 } from './body/large-base64.ts';
import type { Api, ApiProtocol } from './protocol.ts';
import { Failure } from '../failure.ts';
import { asFailure, checkHead, type UnreadRequest } from './server/bad-requests.ts';
import type { Kernel } from '../kernel.ts';
import { parseJson } from '../json/parse.ts';
import { ActiveRequestContext } from './request-context.ts';
import type { OverriddenMethod } from './method-override.ts';
import { restOf, withSlashesIn, describedShapes, placesOf } from './path-template.ts';
import { RouteTree, segmentsOf, type RouteMatch } from './route-tree.ts';
import type { RouteVersion } from './route-version.ts';
import type { Call, LargeField, Method, RawCall, Route, RouteShape } from './route.ts';
import type { ReadyReply } from './reply/kept-replies.ts';
import { ReplySender } from './reply/send.ts';
import { defaultVersion } from '../versions/version.ts';
import { pageHandlers, wantsPage } from './pages/page-route.ts';
import type { SecondaryCost } from '../limits/secondary-limits.ts';
import { rawHandlers } from './serve-raw.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first hook of every API. */
    call: ActiveRequestContext;
    /** The route of the call and the parameters in its path; set by the same hook. */
    match: RouteMatch<ServedRoute> | undefined;
  }
}

interface ServedRoute {
  shape: RouteShape;
  categories: readonly string[];
  secondary: SecondaryCost | undefined;
  /** Answers instead of everything below. */
  raw?: ApiHandlers;
  handle(request: FastifyRequest, reply: FastifyReply): unknown;
}

/** Methods that work while the disk is full. */
const WITHOUT_ROOM: readonly Method[] = ['GET', 'REPORT', 'DELETE'];

export function serve(app: FastifyInstance, api: Api, kernel: Kernel): void {
  const { protocol, routes } = api;
  checkOperationNames(routes);
  for (const prefix of protocol.prefixes) mount(app, api, kernel, prefix);
}

/** Every route's operation name must be its own. */
function checkOperationNames(routes: readonly Route[]): void {
  const seen = new Set<string>();
  for (const { id } of routes.flatMap(({ shape }) => describedShapes(shape))) {
    if (seen.has(id)) throw new Error(`Two routes are called ${id}`);
    seen.add(id);
  }
}

function mount(
  app: FastifyInstance,
  { protocol, routes, rawRoutes = [], pages = [] }: Api,
  kernel: Kernel,
  prefix: string,
): void {
  const send = new ReplySender(protocol, kernel);
  const tree = new RouteTree<ServedRoute>();
  const depth = prefix.split('/').length;
  const pageTree = new RouteTree<ServedRoute>();
  const allowAt = (url: string) => {
    const words = segmentsOf(url, depth);
    return tree.allowAt(words) ?? pageTree.allowAt(words);
  };
  const findRoute = (request: FastifyRequest) => {
    const [first, second] = wantsPage(request) ? [pageTree, tree] : [tree, pageTree];
    const words = segmentsOf(request.url, depth);
    return first.find(request.method, words) ?? second.find(request.method, words);
  };
  const isPreflight = ({ method, url }: { method: string; url: string }) =>
    method === 'OPTIONS' && (protocol.cors.everywhere === true || allowAt(url) !== undefined);
  const categoriesOf = (shape?: RouteShape) =>
    protocol.limits.categoriesOf(shape).map((part) => `${protocol.name}.${part}`);
  const noRoute = categoriesOf();
  const noRouteCost = protocol.limits.secondary?.costOf(undefined);

  if (protocol.override !== undefined) app.overrides.add(prefix, protocol.override);

  const begin = (
    { method, url, headers, ip }: UnreadRequest,
    route: ServedRoute | undefined,
    overridden?: OverriddenMethod,
  ) =>
    new ActiveRequestContext({
      now: kernel.clock.now(),
      method,
      url,
      site: kernel.publicUrl,
      prefix,
      headers,
      address: ip,
      version: defaultVersion(protocol.versions),
      shape: route?.shape,
      categories: route?.categories ?? noRoute,
      limits: kernel.limits,
      overridden,
    });
  app.badRequests.add(prefix, (request, failure) =>
    send.renderError(begin(request, undefined), failure, failure),
  );

  const preflight = (reply: FastifyReply, call: ActiveRequestContext, allow: string | undefined) => {
    // Browsers send no version with it. One that is not available is an error of the call that follows.
    try {
      call.version = protocol.versionOf(call);
    } catch {
      call.isVersionRefused = true;
    }
    return send.preflight(reply, call, allow);
  };

  kernel.contentOrigin?.add(prefix, ({ method, url }) => {
    const found = tree.find(method, segmentsOf(url, depth));
    return (method === 'GET' || method === 'HEAD') && found?.route.shape.isContent === true;
  });
  /** An API call is answered here. Fastify would go on to look for parsers, validators and hooks that no call has. */
  const onRequest: onRequestHookHandler = function (request, reply, done) {
    request.match = findRoute(request);
    const raw = request.match?.route.raw;
    if (raw !== undefined) return raw.onRequest.call(this, request, reply, done);
    const call = begin(request, request.match?.route, app.overrides.of(request.raw));
    request.call = call;
    call.response = reply.raw;
    const failed = (error: unknown) => fail(error, request, reply);
    const enter = (refusal: Error | undefined) => {
      if (refusal === undefined) handle(request, reply);
      else failed(refusal);
    };
    try {
      checkHead(request.raw);
      // A CORS preflight carries no credential.
      if (isPreflight(request)) return handle(request, reply);
      const cost = request.match === undefined ? noRouteCost : request.match.route.secondary;
      const admitted = admit(call, protocol, kernel, { cost, ending: reply.raw });
      if (admitted instanceof Promise) admitted.then(enter, failed);
      else enter(admitted);
    } catch (error) {
      failed(error);
    }
  };
  const onError = (error: Error, request: FastifyRequest, reply: FastifyReply) => {
    const raw = request.match?.route.raw;
    if (raw !== undefined) return raw.onError(error, request, reply);
    // Many clients read the error only after they have sent the whole body.
    request.raw.resume();
    send.failure(reply, request.call, asFailure(error), error);
  };
  /** Errors do not go through Fastify, which would look for its hooks and headers, and call `onError` after that. */
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    try {
      if (reply.sent) throw error;
      onError(error as Error, request, reply);
    } catch (unsent) {
      // This may run where nothing catches: an error that is thrown here would end the process.
      kernel.log.error({ err: unsent, call: request.call.id }, 'could not send an error');
      if (!reply.raw.writableEnded) reply.raw.destroy();
    }
  };
  const refuse = ({ method, url, call }: FastifyRequest, reply: FastifyReply) => {
    const allow = allowAt(url);
    if (isPreflight({ method, url })) return preflight(reply, call, allow);
    if (allow === undefined) throw new Failure('no-route', `There is nothing at ${namePath(call)}`);
    throw new Failure('wrong-method', `${method} is not allowed here. Allowed: ${allow}.`, {
      headers: { allow },
    });
  };
  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.match?.route;
    try {
      const answering = route === undefined ? refuse(request, reply) : route.handle(request, reply);
      if (answering instanceof Promise) answering.catch((error: unknown) => fail(error, request, reply));
    } catch (error) {
      fail(error, request, reply);
    }
  };
  const handlePage = (request: FastifyRequest, reply: FastifyReply) =>
    request.match?.route.handle(request, reply);
  app.apis.add(prefix, { onRequest, onError, handle: handlePage });

  for (const route of routes) {
    const { shape } = route;
    const served = {
      shape,
      categories: categoriesOf(shape),
      secondary: protocol.limits.secondary?.costOf(shape),
      handle: createHandler(route, protocol, kernel, send),
    };
    const rest = restOf(shape.path);
    // Where the rest of a path has its own slashes, nothing tells them from those of another parameter.
    const slashed = rest === undefined ? (protocol.slashedParams ?? []) : [];
    for (const place of placesOf(shape, protocol.pathAliases)) {
      for (const path of withSlashesIn(place.path, slashed)) tree.add({ ...place, path }, served, rest);
      app.reservedPathSegments.add(prefix + place.path);
    }
  }
  for (const route of rawRoutes) {
    if ('prefix' in route.at) continue;
    const raw = rawHandlers(route, protocol, kernel);
    tree.add(route.at, { shape: raw.shape, categories: [], secondary: undefined, handle: () => {}, raw });
  }
  // Pages have one address.
  for (const page of prefix === '' ? pages : []) {
    const raw = pageHandlers(page, kernel);
    const { shape, handle: show } = raw;
    pageTree.add(page, { shape, categories: [], secondary: undefined, handle: show, raw });
    app.reservedPathSegments.add(page.path);
  }
}

/** The path as the caller wrote it, for an error: a long one is cut. */
function namePath(call: ActiveRequestContext): string {
  const path = shownPath(call);
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}

/** Those of GET and HEAD are not read. */
function hasBody({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

/** The handler of one route. A call without asynchronous work is answered in the same tick. */
function createHandler(
  { shape, handle, authorize }: Route,
  protocol: ApiProtocol,
  kernel: Kernel,
  send: ReplySender,
) {
  const answer = (
    call: ActiveRequestContext,
    reply: FastifyReply,
    keep?: (ready: ReadyReply) => void,
    reading = kernel,
  ): void | Promise<void> => {
    const finish = (result: unknown) => {
      call.assertPermissionChecked(false);
      // Unread bytes of the body would block the next request of the connection.
      if (shape.streams) reply.request.raw.resume();
      return send.result(reply, call, shape, result, keep);
    };
    const result = handle(call as Call, reading);
    return result instanceof Promise ? result.then(finish) : finish(result);
  };
  const answerAndKeep = async (call: ActiveRequestContext, reply: FastifyReply, key: string) => {
    const keeping = kernel.keptReplies.begin(key, kernel);
    try {
      await answer(call, reply, keeping.keep, keeping.kernel);
    } finally {
      keeping.end();
    }
  };
  /** What a reply that is kept follows from. */
  const readHeaders = ['accept', ...(protocol.versions.headers ?? []).map((name) => name.toLowerCase())];
  const read = (request: FastifyRequest, reply: FastifyReply, routeVersion: RouteVersion) => {
    const { call } = request;
    call.params = routeVersion.readParams?.(request.match!.params);
    call.query = routeVersion.readQuery?.(request.query as Record<string, unknown>);
    const isBodySent = hasBody(request);
    if (isBodySent) checkMediaType(request.headers['content-type']);
    if (shape.streams) call.stream = request.raw;
    else if (isBodySent) {
      // A body that the route does not use is checked as well.
      const held = kernel.bodyMemory.open(call.caller!);
      reply.raw.once('close', held.close);
      const reading =
        shape.largeField !== undefined && isLarger(request, shape, protocol)
          ? readAround(request, shape, shape.largeField, protocol, kernel)
          : readBody(request, shape, protocol, held);
      return reading.then((body) => {
        readInto(call, routeVersion, body);
      });
    } else readInto(call, routeVersion, undefined);
    return undefined;
  };
  const refuse = async ({ call, match, query }: FastifyRequest, error: unknown): Promise<never> => {
    const { caller, now, headers, url } = call;
    const raw = { params: match!.params, query: query as RawCall['query'] };
    const can: Call['can'] = (resource, action) => call.can(resource, action);
    await authorize?.({ caller: caller!, now, can, headers, url, ...raw }, kernel);
    throw error;
  };
  const needsRoom = !WITHOUT_ROOM.includes(shape.method) && shape.worksOnFullDisk !== true;
  return (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    const { call } = request;
    const routeVersion = send.routeVersion(shape, call);
    if (!routeVersion.exists) {
      throw new Failure('no-route', `There is nothing at ${namePath(call)} in version ${call.version}`);
    }
    const elsewhere = shape.isContent === true ? kernel.contentOrigin?.redirectOf(call) : undefined;
    if (elsewhere !== undefined) return send.elsewhere(reply, call, elsewhere);
    if (needsRoom) kernel.disk.checkRoom();
    call.usage = routeVersion.usage;
    const key = shape.isKept && !hasBody(request) ? kernel.keptReplies.keyOf(call, readHeaders) : undefined;
    const readAndAnswer = (): void | Promise<void> => {
      let reading: Promise<void> | undefined;
      try {
        reading = read(request, reply, routeVersion);
      } catch (error) {
        return refuse(request, error);
      }
      if (key !== undefined) return answerAndKeep(call, reply, key);
      if (reading === undefined) return answer(call, reply);
      return reading.then(
        () => answer(call, reply),
        (error: unknown) => refuse(request, error),
      );
    };
    // The same call of the same caller is checked where the reply is made.
    const ready = key === undefined ? undefined : kernel.keptReplies.find(key);
    if (ready === undefined) return readAndAnswer();
    if (!(ready instanceof Promise)) return send.ready(reply, call, shape, ready);
    return ready.then((made) =>
      made === undefined ? readAndAnswer() : send.ready(reply, call, shape, made),
    );
  };
}

/** The body in the newest version. */
function readInto(call: ActiveRequestContext, { readBody: read, usage }: RouteVersion, body: unknown): void {
  if (usage === undefined) {
    call.body = read?.(body);
    return;
  }
  usage.noticed = 0;
  call.body = read?.(body);
  call.effects |= usage.noticed;
}

async function readBody(
  { raw, headers }: FastifyRequest,
  shape: RouteShape,
  protocol: ApiProtocol,
  held: HeldBody,
): Promise<unknown> {
  const limit = shape.bodyBytes ?? protocol.bodyLimit;
  const bytes = await collectBody(raw, limit, held);
  if (bytes.length === 0) return undefined;
  protocol.checkContentType(headers['content-type'], shape);
  const inflated = await inflateBody(bytes, headers['content-encoding'], limit);
  if (inflated !== bytes) held.add(inflated.length);
  return await parseJson(inflated, { maxKeys: shape.bodyKeys ?? protocol.bodyKeys });
}

/** Its length is known beforehand from all clients that have large files. */
function isLarger({ headers }: FastifyRequest, shape: RouteShape, protocol: ApiProtocol): boolean {
  return Number(headers['content-length']) > (shape.bodyBytes ?? protocol.bodyLimit);
}

/** The body without its large field, which the route receives as it arrives. */
async function readAround(
  { raw, headers, call }: FastifyRequest,
  shape: RouteShape,
  { name, maxBytes, receive }: LargeField,
  protocol: ApiProtocol,
  kernel: Kernel,
): Promise<unknown> {
  protocol.checkContentType(headers['content-type'], shape);
  const limit = sizeInBase64(maxBytes);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (Number(headers['content-length']) > limit) throw tooLarge(limit);
  if (encoding !== 'identity') throw tooLarge(shape.bodyBytes ?? protocol.bodyLimit);
  const text = new LargeBase64(name, maxBytes);
  call.received = await receive(call as Call, kernel, text.decode(piecesOf(raw, limit)));
  return await parseJson(text.rest, { maxKeys: shape.bodyKeys ?? protocol.bodyKeys });
}
