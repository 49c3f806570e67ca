// The API for SDKs, on the paths that they use.
import type { Api, ApiProtocol } from '../../kernel/http/protocol.ts';
import type { Route } from '../../kernel/http/route.ts';
import { FlagsError, renderError, status } from '../failures.ts';
import { KEY_PROTOCOL } from '../protocol.ts';
import { relayStreamRoutes, bigSegmentRoutes, bigSegmentStreamRoutes } from './relay-routes.ts';
import { clientRoutes, mobileRoutes } from './client-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { serverRoutes } from './server-routes.ts';
import { streamRoutes } from './stream-routes.ts';
import { transferRoutes } from './transfer/transfer-routes.ts';

const protocol: Omit<ApiProtocol, 'prefixes'> = {
  ...KEY_PROTOCOL,
  name: 'flags-sdk',
  title: 'Flags for SDKs',
  description: 'Flags and segments for SDKs, by the keys of environments.',
  status,
  renderError,
  errorSchema: FlagsError,
  tokenHeader: 'Authorization: <SDK key>',
  securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'Authorization' } },
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
  conditional: true,
};

/** Routes by prefix: the paths that SDKs use have many different prefixes. */
const routesBelow: Record<string, readonly Route[]> = {
  ...streamRoutes,
  ...eventRoutes,
  '/sdk': [...serverRoutes, ...clientRoutes, ...transferRoutes, ...bigSegmentRoutes],
  '/big-segments': bigSegmentStreamRoutes,
  '/relay_auto_config': relayStreamRoutes,
  '/msdk': mobileRoutes,
};

export const deliveryApis: readonly Api[] = Object.entries(routesBelow).map(([prefix, routes]) => ({
  protocol: { ...protocol, prefixes: [prefix] },
  routes,
}));
