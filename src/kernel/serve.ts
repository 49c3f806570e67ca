// Mounts an API on Fastify and runs the life of a request: admit, read, handle, descend, send.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessCheck } from './access-check.ts';
import { admit } from './admit.ts';
import { inflateBody, parseJson } from './body.ts';
import type { Api, CallFacts, Dialect } from './dialect.ts';
import { Failure } from './failure.ts';
import { asFailure } from './fastify-failure.ts';
import { newCallId } from './id.ts';
import type { KnownCaller } from './identity/caller.ts';
import type { Kernel } from './kernel.ts';
import { Page } from './page.ts';
import { Reply, Text, usualStatus, type Call, type Method, type Route, type Shape } from './route.ts';
import { sender, type Sender } from './send.ts';
import { checkVersions } from './version.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first hook of every API's scope. */
    facts: CallFacts;
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies Method[];

export function serve(app: FastifyInstance, { dialect, routes }: Api, kernel: Kernel): void {
  checkVersions(
    routes.map(({ shape }) => shape),
    dialect.versions,
  );
  for (const prefix of dialect.prefixes) {
    void app.register(
      (scope, _options, done) => {
        mount(scope, dialect, routes, kernel, prefix);
        done();
      },
      { prefix },
    );
  }
}

function mount(
  scope: FastifyInstance,
  dialect: Dialect,
  routes: readonly Route[],
  kernel: Kernel,
  prefix: string,
) {
  const send = sender(dialect, kernel);

  // The body stays bytes: which types are taken, and how they are told off, is the dialect's to say.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: dialect.bodyLimit },
    (_request, body, done) => done(null, body),
  );

  scope.addHook('onRequest', (request, _reply, done) => {
    const facts: CallFacts = {
      id: newCallId(),
      now: kernel.clock.now(),
      method: request.method,
      url: request.url,
      base: kernel.publicUrl + prefix,
      headers: request.headers,
      address: request.ip,
      version: dialect.versions.names.at(-1)!,
      counters: [],
    };
    const { shape } = request.routeOptions.config as { shape?: Shape };
    if (shape !== undefined) facts.shape = shape;
    request.facts = facts;
    if ((request.routeOptions.config as { isOpen?: boolean }).isOpen) return done();
    try {
      const admitted = admit(facts, dialect, kernel);
      if (admitted === undefined) done();
      else admitted.then(() => done(), done);
    } catch (error) {
      done(error as Error);
    }
  });

  scope.setErrorHandler((error: Error, request, reply) => {
    send.failure(reply, request.facts, asFailure(error, dialect.bodyLimit), error);
  });
  scope.setNotFoundHandler(() => {
    throw new Failure('no-route', 'There is nothing at this path');
  });
  scope.addHook('onResponse', (request, reply, done) => {
    const { facts } = request;
    const route = facts.shape?.id ?? 'none';
    kernel.metrics.count(dialect.name, route, reply.statusCode, reply.elapsedTime / 1000);
    if (kernel.log.isLevelEnabled('debug')) {
      kernel.log.debug(
        { call: facts.id, api: dialect.name, route, status: reply.statusCode, ms: reply.elapsedTime },
        'call',
      );
    }
    done();
  });

  for (const [path, verbs] of byPath(routes)) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const allow = allowOf(verbs);
    for (const method of METHODS) {
      const route = verbs.get(method);
      if (route !== undefined) {
        scope.route({
          method,
          url,
          config: { shape: route.shape },
          handler: answerer(route, dialect, kernel, send),
        });
        continue;
      }
      const refuse = () => {
        throw new Failure('wrong-method', `${method} is not allowed here. Allowed: ${allow}.`, {
          headers: { allow },
        });
      };
      scope.route({
        method: method === 'GET' ? ['GET', 'HEAD'] : method,
        url,
        config: { isOpen: true },
        handler: refuse,
      });
    }
    scope.route({
      method: 'OPTIONS',
      url,
      config: { isOpen: true },
      handler: (request, reply) => send.preflight(reply, request.facts, allow),
    });
  }
}

function byPath(routes: readonly Route[]): Map<string, Map<Method, Route>> {
  const paths = new Map<string, Map<Method, Route>>();
  for (const route of routes) {
    const { path, method } = route.shape;
    const verbs = paths.get(path) ?? new Map<Method, Route>();
    if (verbs.has(method)) throw new Error(`Two routes for ${method} ${path}`);
    paths.set(path, verbs.set(method, route));
  }
  return paths;
}

function allowOf(verbs: Map<Method, Route>): string {
  const allowed = METHODS.filter((method) => verbs.has(method));
  return ['OPTIONS', ...(verbs.has('GET') ? ['HEAD'] : []), ...allowed].join(', ');
}

/** The handler that Fastify calls for one route. */
function answerer({ shape, handle }: Route, dialect: Dialect, kernel: Kernel, send: Sender) {
  const status = usualStatus(shape);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { facts } = request;
    const edition = send.edition(shape, facts.version);
    if (!edition.exists)
      throw new Failure('no-route', `There is nothing at this path in version ${facts.version}`);
    const params = edition.readParams?.(request.params as Record<string, unknown>);
    const query = edition.readQuery?.(request.query as Record<string, unknown>);
    const body = edition.readBody && edition.readBody(await readBody(request, shape, dialect));
    const access = new AccessCheck(facts, shape);
    const result = await handle(
      {
        ...facts,
        caller: facts.caller as KnownCaller,
        params: params as Call['params'],
        query: query as Call['query'],
        body: body as undefined,
        demand: (resource) => access.demand(resource),
        can: (resource) => access.can(resource),
        spend: (cost) => spend(facts, kernel, cost),
      },
      kernel,
    );
    access.finish();
    if (result instanceof Text) return send.text(reply, facts, edition, result);
    const said = result instanceof Reply ? result : new Reply(status, result);
    if (said.body instanceof Page) return send.page(reply, facts, edition, said.body);
    return send.body(reply, facts, edition, said);
  };
}

function spend({ counters, caller, now }: CallFacts, { limits }: Kernel, cost: number): boolean {
  const [counted] = counters;
  if (counted === undefined || caller === undefined) return true;
  const taken = limits.take(counted.category, caller, now, cost);
  if (taken !== undefined) counted.counter = taken;
  return taken !== undefined;
}

async function readBody(request: FastifyRequest, shape: Shape, dialect: Dialect): Promise<unknown> {
  const bytes = request.body as Buffer | undefined;
  if (bytes === undefined || bytes.length === 0) return undefined;
  dialect.checkContentType(request.headers['content-type'], shape);
  return parseJson(await inflateBody(bytes, request.headers['content-encoding'], dialect.bodyLimit));
}
