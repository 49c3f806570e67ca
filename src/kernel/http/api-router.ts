// Hands every request to the API whose prefix its path has.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { ByPrefix } from './prefixes.ts';
import { METHODS } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API that answers the request; undefined where no prefix fits. */
    api: ApiHandlers | undefined;
  }
}

export interface ApiHandlers {
  /** Answers calls of the API. Pages go on to `handle`. */
  onRequest: onRequestHookHandler;
  handle(request: FastifyRequest, reply: FastifyReply): unknown;
  onError(error: Error, request: FastifyRequest, reply: FastifyReply): void;
}

export class ApiRouter {
  readonly #apis = new ByPrefix<ApiHandlers>();
  #findPage: (request: FastifyRequest) => string | undefined = () => undefined;

  add(prefix: string, handlers: ApiHandlers): void {
    this.#apis.add(prefix, handlers);
  }

  /** For people who open an address of an API in a browser: `find` returns the path of the page that shows it, if there is one. */
  setPageFinder(find: (request: FastifyRequest) => string | undefined): void {
    this.#findPage = find;
  }

  /** One route for all APIs: Fastify takes most of the time of a start to add hundreds, each with its method and prefix. */
  attach(app: FastifyInstance): void {
    const apis = this.#apis;
    const findPage = (request: FastifyRequest) => this.#findPage(request);
    app.decorateRequest('api');
    void app.register((scope, _options, done) => {
      leaveBodies(scope);
      scope.addHook('onRequest', function (request, reply, next) {
        const page = findPage(request);
        request.api = apis.find(request.url);
        if (page !== undefined) void reply.header('vary', 'accept').redirect(page, 303);
        else if (request.api === undefined) next();
        else request.api.onRequest.call(this, request, reply, next);
      });
      scope.setErrorHandler((error: Error, request, reply) => {
        if (request.api === undefined) void reply.send(error);
        else request.api.onError(error, request, reply);
      });
      scope.route({ method: ['HEAD', ...METHODS], url: '/*', exposeHeadRoute: false, handler: answer });
      // Other methods, and a path that is no path, such as `*`.
      scope.setNotFoundHandler(answer);
      done();
    });
  }
}

function answer(request: FastifyRequest, reply: FastifyReply): unknown {
  if (request.api !== undefined) return request.api.handle(request, reply);
  const message = `Route ${request.method}:${request.url} not found`;
  return reply.code(404).send({ message, error: 'Not Found', statusCode: 404 });
}

/** Pages read their forms themselves. Calls of an API do not come so far. */
function leaveBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}
