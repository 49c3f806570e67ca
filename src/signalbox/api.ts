// The Signalbox API: what the console needs beyond the three APIs, for everybody who has a token. ADR 0136.
import { Failure } from '../kernel/failure.ts';
import { parseMediaType } from '../kernel/http/body/media-type.ts';
import { apiOf } from '../kernel/http/module.ts';
import type { Api, ApiProtocol } from '../kernel/http/protocol.ts';
import type { RequestContext } from '../kernel/http/request-context.ts';
import type { Credential } from '../kernel/identity/caller.ts';
import { cookieOf, SESSION_SCHEME } from '../kernel/identity/sessions/session-caller.ts';
import { retrySeconds } from '../kernel/limits/window.ts';
import { openApiModule } from '../kernel/openapi/module.ts';
import { FURTHER_PROBLEMS, Problem, renderProblem, status } from './failures.ts';
import { CursorPage, renderCursorPage } from './cursor-page.ts';
import { actorsApi } from '../actors/api.ts';
import { flagsApi } from '../flags/api.ts';
import { hostApi } from '../host/api.ts';
import { activityModule } from './activity/module.ts';
import { actorWorkModule } from './actors/module.ts';
import { managedAppModule } from './apps/module.ts';
import { attentionModule } from './attention/module.ts';
import { backupModule } from './backups/module.ts';
import { codeWorkModule } from './code/module.ts';
import { demoModule } from './demo/module.ts';
import { flagWorkModule } from './flags/module.ts';
import { limitModule } from './limits/module.ts';
import { meModule } from './me/module.ts';
import { accountMemberModule } from './members/module.ts';
import { policyModule } from './policies/module.ts';
import { globalSearchModule } from './search/module.ts';
import { streamModule } from './stream/module.ts';
import { sessionModule } from './sessions/module.ts';
import { systemModule } from './system/module.ts';
import { tokenUseModule } from './tokens/module.ts';
import { flagUsageModule } from './flag-usage/module.ts';
import { storageWorkModule } from './storages/module.ts';
import { versionModule } from './versions/module.ts';
import { flagWebhookModule } from './webhooks/module.ts';

const MINUTE = 60;

const protocol: ApiProtocol = {
  name: 'signalbox',
  title: 'Signalbox API',
  description:
    'What spans the three APIs, and what their own do not say: who the caller is, one search, what needs attention, previews ' +
    'and explanations, one activity, a stream of changes, the state of the server. The console uses it, and everything that it ' +
    'does can be done with a token too. Bodies are JSON. Lists are objects with `items`; where there are more, `next` is the ' +
    'cursor of the next page. Errors are problem documents with the `id` of the call.',
  prefixes: ['/signalbox/v1'],
  status,
  renderError: renderProblem,
  errorType: 'application/problem+json',
  errorSchema: Problem,
  furtherErrors: FURTHER_PROBLEMS,
  tokenHeader: 'Authorization: Bearer <token>',
  securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session: SESSION_SCHEME },
  credentialOf,
  page: { render: (page) => ({ body: renderCursorPage(page) }), schema: CursorPage },
  versions: { names: ['v1'], changes: [] },
  versionOf: () => 'v1',
  versionHeaders: () => ({}),
  limits: {
    quotas: { global: { anonymous: 300, known: 3000, seconds: MINUTE } },
    categoriesOf: () => ['global'],
    headers: ([counted]) => ({
      'x-ratelimit-limit': String(counted!.counter.limit),
      'x-ratelimit-remaining': String(counted!.counter.remaining),
    }),
    exceeded: ({ counter }, { now }) => {
      const seconds = retrySeconds(counter, now);
      return new Failure('exhausted', `Too many calls. Try again in ${seconds} seconds.`, {
        headers: { 'retry-after': String(seconds) },
      });
    },
  },
  cors: {
    origin: '*',
    allowHeaders: 'Authorization, Content-Type, Last-Event-ID',
    allowMethods: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    exposeHeaders: 'Location, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining',
    maxAge: 86_400,
  },
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  callHeaders: ({ id }) => ({ 'x-request-id': id }),
  bodyLimit: 1024 * 1024,
  bodyKeys: 10_000,
  checkContentType: (type) => {
    if (parseMediaType(type ?? '')?.type === 'application/json') return;
    throw new Failure('malformed', `The Content-Type must be application/json, not ${type ?? 'absent'}`, {
      part: 'content-type',
    });
  },
  conditional: false,
};

export const signalboxApi: Api = apiOf(protocol, [
  meModule,
  sessionModule,
  activityModule,
  accountMemberModule,
  policyModule(() => [flagsApi, actorsApi, hostApi, signalboxApi]),
  limitModule(() => [flagsApi, actorsApi, hostApi, signalboxApi]),
  versionModule(() => [hostApi]),
  systemModule,
  backupModule,
  demoModule(() => [flagsApi, actorsApi, hostApi]),
  globalSearchModule,
  attentionModule,
  streamModule,
  tokenUseModule,
  flagWorkModule,
  flagUsageModule,
  storageWorkModule,
  flagWebhookModule,
  actorWorkModule,
  managedAppModule,
  codeWorkModule,
  openApiModule('getOpenApi', () => signalboxApi),
]);

/** A token takes precedence over a cookie. */
function credentialOf({ headers, site }: RequestContext): Credential | undefined {
  const authorization = headers.authorization?.trim();
  if (authorization === undefined || authorization === '') return cookieOf(headers.cookie, site);
  return { kind: 'token', secret: /^bearer\s+(.+)$/i.exec(authorization)?.[1] ?? authorization };
}
