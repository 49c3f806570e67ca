// The feature-flag service: its dialect and its routes.
import type { Api, CallFacts, Counted, Dialect, Headers } from '../kernel/dialect.ts';
import { Failure } from '../kernel/failure.ts';
import type { Credential } from '../kernel/identity/caller.ts';
import { cookieOf } from '../kernel/identity/cookie.ts';
import { parseMediaType } from '../kernel/media-type.ts';
import { describeApi } from '../kernel/openapi.ts';
import { route } from '../kernel/route.ts';
import { Type } from '../kernel/schema.ts';
import { FlagsError, spell, status } from './failures.ts';
import { Collection, toCollection } from './links.ts';
import { featureFlagMigrations } from './migrations/feature-flags.ts';
import { projectMigrations } from './migrations/projects.ts';
import { rootRoutes } from './root/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { readVersion, versions } from './version.ts';

const WINDOW_SECONDS = 10;

const dialect: Dialect = {
  name: 'flags',
  title: 'Flags API',
  prefixes: ['/api/v2'],
  status,
  spell,
  errorSchema: FlagsError,
  securityScheme: { type: 'apiKey', in: 'header', name: 'Authorization' },
  credentialOf,
  page: { spell: (page, facts) => ({ body: toCollection(page, facts) }), schema: Collection },
  versions,
  versionOf: ({ headers }) => readVersion(headers['ld-api-version']),
  versionHeaders: (version) => ({ 'ld-api-version': version }),
  limits: {
    allowances: {
      global: { anonymous: 200, known: 2000, seconds: WINDOW_SECONDS },
      route: { anonymous: 100, known: 1000, seconds: WINDOW_SECONDS },
    },
    categoriesOf: (shape) => ['global', `route:${shape?.id ?? 'none'}`],
    headers: limitHeaders,
    exceeded: ({ counter }, { now }) =>
      new Failure('exhausted', "You've exceeded the API rate limit. Try again later.", {
        headers: { 'retry-after': String(Math.ceil((counter.resetAt - now) / 1000)) },
      }),
  },
  cors: {
    origin: 'echo',
    allowHeaders: 'Accept, Content-Type, Content-Length, Accept-Encoding, Authorization',
    allowMethods: 'OPTIONS, GET, DELETE, PATCH',
    maxAge: 300,
  },
  headers: {
    'content-type': 'application/json',
    vary: 'Origin',
    'cache-control': 'private, no-cache, no-store, must-revalidate',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  callHeaders: ({ id }) => ({ 'x-request-id': id }),
  bodyLimit: 5 * 1024 * 1024,
  checkContentType: (type) => {
    if (parseMediaType(type ?? '')?.type === 'application/json') return;
    throw new Failure('malformed', `The Content-Type must be application/json, not ${type ?? 'absent'}`);
  },
  conditional: false,
};

/** Describes the very list it stands in, so it is made with it. */
const getOpenApi = route(
  {
    id: 'getOpenapiSpec',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI description of the whole API',
    access: 'anyone',
    reply: { 200: Type.Record(Type.String(), Type.Unknown()) },
  },
  ({ version }) => ({ ...describeApi(flagsApi, version) }),
);

export const flagsApi: Api = {
  dialect,
  routes: [...rootRoutes, getOpenApi, ...tokenRoutes],
  migrations: [...projectMigrations, ...featureFlagMigrations],
};

/** The bare token, or `Bearer` and the token. A token beats a cookie. */
function credentialOf({ headers }: CallFacts): Credential | undefined {
  const authorization = headers.authorization?.trim();
  if (authorization === undefined || authorization === '') return cookieOf(headers.cookie);
  const secret = /^bearer\s+(.+)$/i.exec(authorization)?.[1] ?? authorization;
  if (/^(sdk|mob)-/.test(secret)) {
    throw new Failure(
      'unauthenticated',
      'SDK and mobile keys cannot call the REST API. Use an access token.',
    );
  }
  return { kind: 'token', secret };
}

/** Times are in epoch milliseconds here. */
function limitHeaders([global, perRoute]: Counted[]): Headers {
  return {
    'x-ratelimit-global-remaining': String(global!.counter.remaining),
    'x-ratelimit-route-remaining': String(perRoute!.counter.remaining),
    'x-ratelimit-reset': String(Math.max(global!.counter.resetAt, perRoute!.counter.resetAt)),
  };
}
