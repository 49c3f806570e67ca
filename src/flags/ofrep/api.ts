// The OpenFeature Remote Evaluation Protocol (OFREP): evaluation for any OpenFeature provider, by the keys of environments.
import type { Api } from '../../kernel/http/protocol.ts';
import { KEY_PROTOCOL } from '../protocol.ts';
import { OfrepError, renderError, status } from './failures.ts';
import { ofrepRoutes } from './routes.ts';
import { HASH_HEADER } from './keys.ts';

export const ofrepApi: Api = {
  protocol: {
    ...KEY_PROTOCOL,
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
    conditional: false,
  },
  routes: ofrepRoutes,
};
