// The feature-flag service: its protocol and its modules.
import type { Api, ApiProtocol, Headers } from '../kernel/http/protocol.ts';
import type { RequestContext, CategoryCounter } from '../kernel/http/request-context.ts';
import { Failure } from '../kernel/failure.ts';
import type { Credential } from '../kernel/identity/caller.ts';
import { cookieOf, SESSION_SCHEME } from '../kernel/identity/sessions/session-caller.ts';
import { retrySeconds } from '../kernel/limits/window.ts';
import { openApiModule } from '../kernel/openapi/module.ts';
import { requireJson } from './protocol.ts';
import { flagsClient } from './client-sample.ts';
import {
  FlagsError,
  FLAGS_ERROR_CODES,
  FURTHER_FLAGS_ERRORS,
  renderError,
  status,
  statusOf,
} from './failures.ts';
import { Collection, toCollection } from './links.ts';
import { readVersion, versionOf, versions } from './version.ts';
import { apiOf } from '../kernel/http/module.ts';
import { isTriggerPath } from './triggers/fire.ts';
import { rootModule } from './root/module.ts';
import { tokenModule } from './tokens/module.ts';
import { memberModule } from './members/module.ts';
import { teamModule } from './teams/module.ts';
import { roleModule } from './roles/module.ts';
import { projectModule } from './projects/module.ts';
import { environmentModule } from './environments/module.ts';
import { featureFlagModule } from './feature-flags/module.ts';
import { expiringTargetModule } from './feature-flags/expiring-targets/module.ts';
import { flagEventModule } from './events/module.ts';
import { sdkActivityModule } from './sdk-activity/module.ts';
import { segmentModule, segmentFileModule } from './segments/module.ts';
import { scheduledChangeModule } from './scheduled-changes/module.ts';
import { approvalModule } from './approvals/module.ts';
import { triggerModule } from './triggers/module.ts';
import { followerModule } from './followers/module.ts';
import { flagLinkModule } from './flag-links/module.ts';
import { webhookModule } from './webhooks/module.ts';
import { auditLogSubscriptionModule } from './audit-log-subscriptions/module.ts';
import { codeReferenceModule } from './code-references/module.ts';
import { removableFlagModule } from './removable-flags/module.ts';
import { relayProxyConfigModule } from './relay-proxy-configs/module.ts';
import { contextKindModule } from './context-kinds/module.ts';
import { contextModule } from './contexts/module.ts';
import { auditLogModule } from './audit-log/module.ts';
import { deliveryModule } from './delivery/module.ts';
import { tagModule } from './tags/module.ts';

const WINDOW_SECONDS = 10;

const protocol: ApiProtocol = {
  name: 'flags',
  title: 'Flags API',
  description:
    'Feature flags, segments and all around them: projects, environments, members, teams, roles, approvals, webhooks and the ' +
    'audit log. Bodies are JSON. Lists are objects with `items` and `_links`: follow `_links.next` to the next page. PATCH takes ' +
    'JSON patches, merge patches or semantic patches: each operation names its own, the last by a content type of their own. ' +
    'Errors have a `code`, a `message` and the `id` of the call.',
  prefixes: ['/api/v2'],
  status,
  statusOf,
  renderError,
  errorSchema: FlagsError,
  errorCodes: FLAGS_ERROR_CODES,
  furtherErrors: FURTHER_FLAGS_ERRORS,
  client: flagsClient,
  tokenHeader: 'Authorization: <token>',
  securitySchemes: {
    token: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'The access token by itself',
    },
    bearer: { type: 'http', scheme: 'bearer' },
    session: SESSION_SCHEME,
  },
  credentialOf,
  page: { render: (page, facts) => ({ body: toCollection(page, facts) }), schema: Collection },
  versions,
  versionOf: ({ headers }) => readVersion(headers['ld-api-version']),
  versionHeaders: (version) => ({ 'ld-api-version': version }),
  limits: {
    quotas: {
      global: { anonymous: 200, known: 2000, seconds: WINDOW_SECONDS },
      route: { anonymous: 100, known: 1000, seconds: WINDOW_SECONDS },
    },
    categoriesOf: (shape) => ['global', `route:${shape?.id ?? 'none'}`],
    headers: limitHeaders,
    exceeded: ({ counter }, { now }) =>
      new Failure('exhausted', "You've exceeded the API rate limit. Try again later.", {
        headers: { 'retry-after': String(retrySeconds(counter, now)) },
      }),
  },
  cors: {
    origin: 'echo',
    allowHeaders: 'Accept, Content-Type, Content-Length, Accept-Encoding, Authorization',
    allowMethods: 'OPTIONS, GET, DELETE, PATCH',
    added: { headers: 'LD-API-Version, X-HTTP-Method-Override, If-Match', methods: 'POST, PUT' },
    maxAge: 300,
    everywhere: true,
  },
  headers: {
    'content-type': 'application/json',
    vary: 'Origin',
    'cache-control': 'private, no-cache, no-store, must-revalidate',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  callHeaders: (call) => ({ 'x-request-id': call.id, 'ld-api-version': String(versionOf(call)) }),
  override: { in: 'header', name: 'X-HTTP-Method-Override', from: ['POST'], to: ['PATCH', 'PUT', 'DELETE'] },
  bodyLimit: 5 * 1024 * 1024,
  bodyKeys: 30_000,
  checkContentType: requireJson,
  conditional: false,
};

export const flagsApi: Api = apiOf(protocol, [
  rootModule,
  openApiModule('getOpenapiSpec', () => flagsApi),
  tokenModule,
  memberModule,
  teamModule,
  roleModule,
  projectModule,
  environmentModule,
  sdkActivityModule,
  featureFlagModule,
  expiringTargetModule,
  segmentModule,
  scheduledChangeModule,
  approvalModule,
  triggerModule,
  followerModule,
  flagLinkModule,
  webhookModule,
  auditLogSubscriptionModule,
  relayProxyConfigModule,
  codeReferenceModule,
  contextKindModule,
  segmentFileModule,
  contextModule,
  auditLogModule,
  tagModule,
  flagEventModule,
  removableFlagModule,
  deliveryModule,
]);

/** The bare token, or `Bearer` and the token. A token takes precedence over a cookie. */
function credentialOf({ headers, url, site }: RequestContext): Credential | undefined {
  if (isTriggerPath(url)) return undefined;
  const authorization = headers.authorization?.trim();
  if (authorization === undefined || authorization === '') return cookieOf(headers.cookie, site);
  const secret = /^bearer\s+(.+)$/i.exec(authorization)?.[1] ?? authorization;
  if (/^(sdk|mob)-/.test(secret)) {
    throw new Failure(
      'unauthenticated',
      'SDK and mobile keys cannot call the REST API. Use an access token.',
    );
  }
  return { kind: 'token', secret };
}

/** The reset time is in epoch milliseconds. */
function limitHeaders([global, perRoute]: CategoryCounter[]): Headers {
  return {
    'x-ratelimit-global-remaining': String(global!.counter.remaining),
    'x-ratelimit-route-remaining': String(perRoute!.counter.remaining),
    'x-ratelimit-reset': String(Math.max(global!.counter.resetAt, perRoute!.counter.resetAt)),
  };
}
