// The API for SDKs: authenticated by environment keys instead of tokens, and without rate limits, because every app polls.
import type { Api, Dialect } from '../../kernel/dialect.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Route } from '../../kernel/route.ts';
import { requireJson } from '../content-type.ts';
import { FlagsError, renderError, status } from '../failures.ts';
import { Collection, toCollection } from '../links.ts';
import { clientRoutes, mobileRoutes } from './client-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { serverRoutes } from './server-routes.ts';
import { streamRoutes } from './stream-routes.ts';
import { transferRoutes } from './transfer-routes.ts';

/** There is only one: the path determines the shape of the response. */
const VERSION = '1';

const dialect: Omit<Dialect, 'prefixes'> = {
  name: 'flags-sdk',
  title: 'Flags for SDKs',
  description: 'Flags and segments for SDKs, by the keys of environments.',
  status,
  renderError,
  errorSchema: FlagsError,
  tokenHeader: 'Authorization: <SDK key>',
  securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'Authorization' } },
  // Environment keys are no tokens: each route checks the kind of key it takes.
  credentialOf: () => undefined,
  page: { render: (page, facts) => ({ body: toCollection(page, facts) }), schema: Collection },
  versions: { names: [VERSION], changes: [] },
  versionOf: () => VERSION,
  versionHeaders: () => ({}),
  limits: {
    allowances: {},
    categoriesOf: () => [],
    headers: () => ({}),
    exceeded: () => new Failure('exhausted', 'Try again later.'),
  },
  cors: {
    origin: '*',
    allowHeaders: [
      'Cache-Control',
      'Content-Type',
      'Content-Length',
      'Accept-Encoding',
      'X-LaunchDarkly-User-Agent',
      'X-LaunchDarkly-Payload-ID',
      'X-LaunchDarkly-Wrapper',
      'X-LaunchDarkly-Event-Schema',
      'X-LaunchDarkly-Tags',
      'X-LaunchDarkly-Instance-Id',
      'If-None-Match',
      'Authorization',
    ].join(', '),
    allowMethods: 'GET, REPORT, POST, OPTIONS',
    exposeHeaders: 'Date, ETag, Retry-After, X-LD-EnvID',
    maxAge: 300,
  },
  headers: {
    'content-type': 'application/json',
    vary: 'Authorization',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  },
  // For contexts. Events are streamed, with a limit of their own.
  bodyLimit: 64 * 1024,
  checkContentType: requireJson,
  conditional: true,
};

/** Routes by prefix: the paths that SDKs use have many different prefixes. */
const routesBelow: Record<string, readonly Route[]> = {
  ...streamRoutes,
  ...eventRoutes,
  '/sdk': [...serverRoutes, ...clientRoutes, ...transferRoutes],
  '/msdk': mobileRoutes,
};

export const deliveryApis: readonly Api[] = Object.entries(routesBelow).map(([prefix, routes]) => ({
  dialect: { ...dialect, prefixes: [prefix] },
  routes,
}));
