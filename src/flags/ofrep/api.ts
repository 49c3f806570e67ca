// The OpenFeature Remote Evaluation Protocol (OFREP): evaluation for any OpenFeature provider, by the keys of environments.
import type { Api } from '../../kernel/dialect.ts';
import { Failure } from '../../kernel/failure.ts';
import { requireJson } from '../content-type.ts';
import { Collection, toCollection } from '../links.ts';
import { OfrepError, renderError, status } from './failures.ts';
import { ofrepRoutes } from './routes.ts';
import { HASH_HEADER } from './secure-mode.ts';

/** The version is in the path. */
const VERSION = '1';

export const ofrepApi: Api = {
  dialect: {
    name: 'flags-ofrep',
    title: 'Flags for OpenFeature',
    description: 'Evaluation of flags by the OpenFeature Remote Evaluation Protocol.',
    prefixes: ['/ofrep'],
    status,
    renderError,
    errorSchema: OfrepError,
    tokenHeader: 'Authorization: Bearer <key>',
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    },
    // Environment keys are no tokens: each route checks them itself.
    credentialOf: () => undefined,
    page: { render: (page, facts) => ({ body: toCollection(page, facts) }), schema: Collection },
    versions: { names: [VERSION], changes: [] },
    versionOf: () => VERSION,
    versionHeaders: () => ({}),
    // None, because every app polls.
    limits: {
      allowances: {},
      categoriesOf: () => [],
      headers: () => ({}),
      exceeded: () => new Failure('exhausted', 'Try again later.'),
    },
    cors: {
      origin: '*',
      allowHeaders: ['Authorization', 'X-API-Key', 'Content-Type', 'If-None-Match', HASH_HEADER].join(', '),
      allowMethods: 'GET, POST, OPTIONS',
      exposeHeaders: 'ETag, Date, Retry-After',
      maxAge: 300,
    },
    headers: {
      'content-type': 'application/json',
      vary: 'Authorization, X-API-Key',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    callHeaders: ({ id }) => ({ 'x-request-id': id }),
    bodyLimit: 64 * 1024,
    checkContentType: requireJson,
    conditional: false,
  },
  routes: ofrepRoutes,
};
