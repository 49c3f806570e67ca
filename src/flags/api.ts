// The feature-flag service: its dialect and its parts.
import type { Api, CallFacts, CategoryCounter, Dialect, Headers } from '../kernel/http/protocol.ts';
import { Failure } from '../kernel/failure.ts';
import type { Credential } from '../kernel/identity/caller.ts';
import { cookieOf, SESSION_SCHEME } from '../kernel/identity/sessions/cookie.ts';
import { retrySeconds } from '../kernel/limits/window.ts';
import { openApiPart } from '../kernel/openapi/module.ts';
import { requireJson } from './content-type.ts';
import { FlagsError, renderError, status, statusOf } from './failures.ts';
import { Collection, toCollection } from './links.ts';
import { readVersion, versionOf, versions } from './version.ts';
import { apiOf } from '../kernel/module.ts';
import { isTriggerPath } from './triggers/fire.ts';
import { rootPart } from './root/part.ts';
import { tokenPart } from './tokens/part.ts';
import { memberPart } from './members/part.ts';
import { teamPart } from './teams/part.ts';
import { rolePart } from './roles/part.ts';
import { projectPart } from './projects/part.ts';
import { environmentPart } from './environments/part.ts';
import { featureFlagPart } from './feature-flags/part.ts';
import { expiringTargetPart } from './feature-flags/expiring-targets/part.ts';
import { flagEventPart } from './events/part.ts';
import { sdkActivityPart } from './sdk-activity/part.ts';
import { segmentPart } from './segments/part.ts';
import { scheduledChangePart } from './scheduled-changes/part.ts';
import { approvalPart } from './approvals/part.ts';
import { triggerPart } from './triggers/part.ts';
import { followerPart } from './followers/part.ts';
import { flagLinkPart } from './flag-links/part.ts';
import { webhookPart } from './webhooks/part.ts';
import { auditLogSubscriptionPart } from './audit-log-subscriptions/part.ts';
import { codeReferencePart } from './code-references/part.ts';
import { relayProxyConfigPart } from './relay-proxy-configs/part.ts';
import { contextKindPart } from './context-kinds/part.ts';
import { segmentFilePart } from './segments/files-part.ts';
import { contextPart } from './contexts/part.ts';
import { auditLogPart } from './audit-log/part.ts';
import { deliveryPart } from './delivery/part.ts';
import { tagPart } from './tags/part.ts';

const WINDOW_SECONDS = 10;

const dialect: Dialect = {
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
    allowances: {
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
    added: { headers: 'LD-API-Version, X-HTTP-Method-Override', methods: 'POST, PUT' },
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

export const flagsApi: Api = apiOf(dialect, [
  rootPart,
  openApiPart('getOpenapiSpec', () => flagsApi),
  tokenPart,
  memberPart,
  teamPart,
  rolePart,
  projectPart,
  environmentPart,
  sdkActivityPart,
  featureFlagPart,
  expiringTargetPart,
  segmentPart,
  scheduledChangePart,
  approvalPart,
  triggerPart,
  followerPart,
  flagLinkPart,
  webhookPart,
  auditLogSubscriptionPart,
  relayProxyConfigPart,
  codeReferencePart,
  contextKindPart,
  segmentFilePart,
  contextPart,
  auditLogPart,
  tagPart,
  flagEventPart,
  deliveryPart,
]);

/** The bare token, or `Bearer` and the token. A token takes precedence over a cookie. */
function credentialOf({ headers, url, base }: CallFacts): Credential | undefined {
  if (isTriggerPath(url)) return undefined;
  const authorization = headers.authorization?.trim();
  if (authorization === undefined || authorization === '') return cookieOf(headers.cookie, base);
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
