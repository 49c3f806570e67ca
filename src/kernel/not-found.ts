// Answers requests that match no route: each API answers those below its prefixes, as it answers all others.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { ByPrefix } from './prefixes.ts';

/** The same hook and error handler as for the API's routes. */
export interface NotFoundHandlers {
  onRequest: onRequestHookHandler;
  handle(request: FastifyRequest, reply: FastifyReply): unknown;
  onError(error: Error, request: FastifyRequest, reply: FastifyReply): void;
}

export class NotFound {
  readonly #apis = new ByPrefix<NotFoundHandlers>();

  add(prefix: string, handlers: NotFoundHandlers): void {
    this.#apis.add(prefix, handlers);
  }

  /** One handler for all APIs: Fastify adds a route for each handler and method, which would double the time of a start. */
  attach(app: FastifyInstance): void {
    const find = ({ url }: FastifyRequest) => this.#apis.find(url);
    void app.register((scope, _options, done) => {
      leaveBodies(scope);
      scope.addHook('onRequest', function (request, reply, next) {
        const api = find(request);
        if (api === undefined) next();
        else api.onRequest.call(this, request, reply, next);
      });
      scope.setErrorHandler((error: Error, request, reply) => {
        const api = find(request);
        if (api === undefined) void reply.send(error);
        else api.onError(error, request, reply);
      });
      scope.setNotFoundHandler((request, reply) => {
        const api = find(request);
        if (api !== undefined) return api.handle(request, reply);
        const message = `Route ${request.method}:${request.url} not found`;
        return reply.code(404).send({ message, error: 'Not Found', statusCode: 404 });
      });
      done();
    });
  }
}

/** The body stays a stream: the dialect decides which content types are rejected, and how. */
export function leaveBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  // Fastify remembers a parser by its type, and looks for the one of all types anew each time.
  scope.addContentTypeParser(['application/json', '*'], (_request, payload, done) => done(null, payload));
}
