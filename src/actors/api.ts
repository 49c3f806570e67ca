// The scraping and automation platform: its protocol and its modules.
import type { Api, ApiProtocol } from '../kernel/http/protocol.ts';
import type { RequestContext } from '../kernel/http/request-context.ts';
import { Failure } from '../kernel/failure.ts';
import type { Credential } from '../kernel/identity/caller.ts';
import { cookieOf, SESSION_SCHEME } from '../kernel/identity/sessions/session-caller.ts';
import { retrySeconds } from '../kernel/limits/window.ts';
import { openApiModule } from '../kernel/openapi/module.ts';
import { Type } from '../kernel/schema/schema.ts';
import { apiOf } from '../kernel/http/module.ts';
import { errorTypesOf } from './error-types.ts';
import { actorsClient } from './client-sample.ts';
import {
  ActorsError,
  renderError,
  status,
  statusOfFailure,
  TOKEN_HEADER,
  TYPE_OF_KINDS,
} from './failures.ts';
import { storeModule } from './actor-store/module.ts';
import { actorModule } from './actors/module.ts';
import { buildModule } from './builds/module.ts';
import { datasetModule } from './datasets/module.ts';
import { inputModule } from './input/module.ts';
import { jobModule } from './jobs/module.ts';
import { keyValueStoreModule } from './key-value-stores/module.ts';
import { libraryModule } from './library/module.ts';
import { logModule } from './logs/module.ts';
import { requestQueueModule } from './request-queues/module.ts';
import { runModule } from './runs/module.ts';
import { runStorageModule } from './runs/route-aliases.ts';
import { scheduleModule } from './schedules/module.ts';
import { standbyModule } from './standby/module.ts';
import { storageModule } from './storages/module.ts';
import { taskModule, taskStorageModule } from './tasks/module.ts';
import { toolModule } from './tools/module.ts';
import { usageModule } from './usage/module.ts';
import { userModule } from './users/module.ts';
import { actorWebhookModule } from './webhooks/module.ts';

const MINUTE = 60;

const protocol: ApiProtocol = {
  name: 'actors',
  title: 'Actors API',
  description:
    'Programs for scraping and automation, called Actors, with their builds, runs and tasks, and storages: datasets, ' +
    'key-value stores and request queues. An Actor, a task or a storage is named by its id, by `username~name`, or by `~name` when it is your own. Every ' +
    'path below `/v2/actors` exists below `/v2/acts` too, as older clients know it. JSON replies are wrapped in `data`. Lists ' +
    'take `offset` and `limit`, and tell their `total`. Errors have a `type` and a `message` in `error`.',
  prefixes: ['/v2'],
  // The name in older clients.
  pathAliases: { '/acts': '/actors' },
  status,
  statusOf: statusOfFailure,
  renderError,
  errorSchema: ActorsError,
  errorTypesOf,
  errorCodes: TYPE_OF_KINDS,
  client: actorsClient,
  tokenHeader: TOKEN_HEADER,
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer' },
    query: { type: 'apiKey', in: 'query', name: 'token', description: 'For what cannot send headers' },
    session: SESSION_SCHEME,
  },
  credentialOf,
  wrap: {
    body: (data) => ({ data }),
    schema: (data) => Type.Object({ data }),
  },
  page: {
    render: ({ items, total, slice, desc, more }) => ({
      body: { total, offset: slice.offset, limit: slice.limit, desc, ...more, count: items.length, items },
    }),
    schema: (item) =>
      Type.Object({
        total: Type.Integer(),
        offset: Type.Integer(),
        limit: Type.Integer(),
        desc: Type.Boolean(),
        unnamed: Type.Optional(
          Type.Boolean({ description: 'Of storages: whether unnamed ones are listed too' }),
        ),
        count: Type.Integer(),
        items: Type.Array(item),
      }),
  },
  // The version is in the path, and there is one so far.
  versions: { names: ['v2'], changes: [] },
  versionOf: () => 'v2',
  versionHeaders: () => ({}),
  limits: {
    quotas: {
      global: { anonymous: 250_000, known: 250_000, seconds: MINUTE },
      // Each dataset's own, shared by all callers.
      dataset: { anonymous: 60, known: 60, seconds: 1 },
      dataset_push: { anonymous: 400, known: 400, seconds: 1 },
      // Each key-value store's own, and that of its records.
      key_value_store: { anonymous: 60, known: 60, seconds: 1 },
      key_value_record: { anonymous: 200, known: 200, seconds: 1 },
      // Each request queue's own, for the queue as a whole, for single requests and for many at once.
      request_queue: { anonymous: 60, known: 60, seconds: 1 },
      queue: { anonymous: 400, known: 400, seconds: 1 },
      queue_batch: { anonymous: 40, known: 40, seconds: 1 },
    },
    categoriesOf: () => ['global'],
    headers: ([counted]) => ({ 'x-ratelimit-limit': String(counted!.counter.limit) }),
    exceeded: ({ counter }, { now }) => {
      const seconds = retrySeconds(counter, now);
      return new Failure(
        'exhausted',
        `You have exceeded the rate limit of ${counter.limit} requests. Retry in ${seconds} seconds.`,
        {
          headers: { 'retry-after': String(seconds) },
        },
      );
    },
  },
  cors: {
    origin: '*',
    allowHeaders: 'Authorization, Content-Type, Content-Encoding, User-Agent, X-Apify-Request-Origin',
    allowMethods: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    exposeHeaders:
      'Location, X-RateLimit-Limit, X-Apify-Pagination-Total, X-Apify-Pagination-Offset, X-Apify-Pagination-Limit, X-Apify-Pagination-Count, X-Apify-Pagination-Desc',
    maxAge: 86_400,
  },
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache, no-store, must-revalidate',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  callHeaders: ({ id }) => ({ 'x-request-id': id }),
  override: { in: 'query', name: 'method', to: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
  bodyLimit: 9_437_184,
  commonQuery: ['token', 'method'],
  checkContentType: (type) => {
    if (type !== undefined && /^application\/json\s*(;|$)/i.test(type)) return;
    throw new Failure('malformed', `The Content-Type must be application/json, not ${type ?? 'absent'}.`, {
      code: 'invalid-content-type-header',
    });
  },
  conditional: false,
};

const storageKinds = [datasetModule, keyValueStoreModule, requestQueueModule];

export const actorsApi: Api = apiOf(protocol, [
  userModule,
  actorModule,
  buildModule,
  runModule,
  taskModule,
  actorWebhookModule,
  scheduleModule,
  standbyModule,
  inputModule,
  jobModule,
  logModule,
  toolModule,
  storageModule(storageKinds),
  ...storageKinds,
  runStorageModule,
  taskStorageModule,
  usageModule,
  storeModule,
  libraryModule,
  openApiModule('openapi_get', () => actorsApi),
]);

/** The header wins over the URL, and both over a cookie. */
function credentialOf({ headers, url, site }: RequestContext): Credential | undefined {
  const authorization = headers.authorization?.trim();
  if (authorization !== undefined && authorization !== '') {
    const secret = /^bearer\s+(.+)$/i.exec(authorization)?.[1];
    return { kind: 'token', secret: secret ?? authorization };
  }
  const query = url.indexOf('?');
  if (query !== -1 && url.includes('token=', query)) {
    const token = new URLSearchParams(url.slice(query)).get('token');
    if (token !== null && token !== '') return { kind: 'token', secret: token };
  }
  return cookieOf(headers.cookie, site);
}
