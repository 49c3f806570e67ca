// The feature-flag service: its dialect and its routes.
import type { Api, CallFacts, Counted, Dialect, Headers } from '../kernel/dialect.ts';
import { Failure } from '../kernel/failure.ts';
import type { Credential } from '../kernel/identity/caller.ts';
import { cookieOf } from '../kernel/identity/cookie.ts';
import { retrySeconds } from '../kernel/limit-window.ts';
import { openApiBytes } from '../kernel/openapi-bytes.ts';
import { Bytes, route } from '../kernel/route.ts';
import { Type } from '../kernel/schema.ts';
import { approvalHandlers } from './approvals/apply.ts';
import { approvalReviewRoutes } from './approvals/review-routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { approvalSettingsRoutes } from './approvals/settings-routes.ts';
import { auditLogRoutes } from './audit-log/routes.ts';
import { requireJson } from './content-type.ts';
import { contextKindRoutes } from './context-kinds/routes.ts';
import { contextRoutes } from './contexts/routes.ts';
import { contextSettingRoutes } from './contexts/setting-routes.ts';
import { environmentKeyRoutes } from './environments/key-routes.ts';
import { environmentRoutes } from './environments/routes.ts';
import { FlagsError, spell, status, statusOf } from './failures.ts';
import { dependentFlagRoutes } from './feature-flags/dependent-routes.ts';
import { featureFlagRoutes } from './feature-flags/routes.ts';
import { flagStatusRoutes } from './feature-flags/status-routes.ts';
import { expiryHandlers } from './feature-flags/expiring-targets/expire.ts';
import { expiringTargetRoutes } from './feature-flags/expiring-targets/routes.ts';
import { flagLinkRoutes } from './flag-links/routes.ts';
import { followerRoutes } from './followers/routes.ts';
import { Collection, toCollection } from './links.ts';
import { patchMembers } from './members/bulk-routes.ts';
import { postMembers } from './members/invite-routes.ts';
import { memberRoutes } from './members/routes.ts';
import { approvalMigrations } from './migrations/approvals.ts';
import { contextKindMigrations } from './migrations/context-kinds.ts';
import { expiringTargetMigrations } from './migrations/expiring-targets.ts';
import { featureFlagMigrations } from './migrations/feature-flags.ts';
import { flagLinkMigrations } from './migrations/flag-links.ts';
import { followerMigrations } from './migrations/followers.ts';
import { projectMigrations } from './migrations/projects.ts';
import { scheduledChangeMigrations } from './migrations/scheduled-changes.ts';
import { segmentFileMigrations } from './migrations/segment-files.ts';
import { segmentMigrations } from './migrations/segments.ts';
import { triggerMigrations } from './migrations/triggers.ts';
import { webhookMigrations } from './migrations/webhooks.ts';
import { flagDefaultsRoutes } from './projects/flag-defaults-routes.ts';
import { ensureProject } from './projects/make.ts';
import { projectRoutes } from './projects/routes.ts';
import { roleRoutes } from './roles/routes.ts';
import { rootRoutes } from './root/routes.ts';
import { scheduledChangeHandlers } from './scheduled-changes/execute.ts';
import { scheduledChangeRoutes } from './scheduled-changes/routes.ts';
import { tagRoutes } from './tags/routes.ts';
import { segmentExpiryHandlers } from './segments/expire.ts';
import { segmentExpiringRoutes } from './segments/expiring-routes.ts';
import { segmentExportRoutes } from './segments/exports/routes.ts';
import { exportHandlers } from './segments/exports/run.ts';
import { segmentImportRoutes } from './segments/imports/routes.ts';
import { importHandlers } from './segments/imports/run.ts';
import { segmentMemberRoutes } from './segments/member-routes.ts';
import { segmentRoutes } from './segments/routes.ts';
import { memberSweep } from './segments/sweep.ts';
import { teamBulkRoutes } from './teams/bulk-routes.ts';
import { teamRoutes } from './teams/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { fireRoutes, isTriggerPath } from './triggers/fire.ts';
import { triggerRoutes } from './triggers/routes.ts';
import { readVersion, versions } from './version.ts';
import { hooks, webhookSubscriber } from './webhooks/deliver.ts';
import { webhookRoutes } from './webhooks/routes.ts';

const WINDOW_SECONDS = 10;

const dialect: Dialect = {
  name: 'flags',
  title: 'Flags API',
  prefixes: ['/api/v2'],
  status,
  statusOf,
  spell,
  errorSchema: FlagsError,
  tokenHeader: 'Authorization: <token>',
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
        headers: { 'retry-after': String(retrySeconds(counter, now)) },
      }),
  },
  cors: {
    origin: 'echo',
    allowHeaders: 'Accept, Content-Type, Content-Length, Accept-Encoding, Authorization',
    allowMethods: 'OPTIONS, GET, DELETE, PATCH',
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
  callHeaders: ({ id }) => ({ 'x-request-id': id }),
  override: { in: 'header', name: 'X-HTTP-Method-Override', from: ['POST'], to: ['PATCH', 'PUT', 'DELETE'] },
  bodyLimit: 5 * 1024 * 1024,
  bodyKeys: 30_000,
  checkContentType: requireJson,
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
  async ({ version }) => {
    const { bytes, etag } = await openApiBytes(flagsApi, version);
    return new Bytes(bytes, { etag, 'cache-control': 'no-cache' });
  },
);

export const flagsApi: Api = {
  dialect,
  routes: [
    ...rootRoutes,
    getOpenApi,
    ...tokenRoutes,
    ...memberRoutes,
    postMembers,
    patchMembers,
    ...teamRoutes,
    ...teamBulkRoutes,
    ...roleRoutes,
    ...featureFlagRoutes,
    ...flagStatusRoutes,
    ...dependentFlagRoutes,
    ...projectRoutes,
    ...flagDefaultsRoutes,
    ...environmentRoutes,
    ...environmentKeyRoutes,
    ...expiringTargetRoutes,
    ...approvalRoutes,
    ...approvalReviewRoutes,
    ...approvalSettingsRoutes,
    ...scheduledChangeRoutes,
    ...triggerRoutes,
    ...fireRoutes,
    ...followerRoutes,
    ...flagLinkRoutes,
    ...segmentRoutes,
    ...segmentMemberRoutes,
    ...segmentExpiringRoutes,
    ...segmentImportRoutes,
    ...segmentExportRoutes,
    ...contextKindRoutes,
    ...contextRoutes,
    ...contextSettingRoutes,
    ...auditLogRoutes,
    ...webhookRoutes,
    ...tagRoutes,
  ],
  migrations: [
    ...projectMigrations,
    ...featureFlagMigrations,
    ...expiringTargetMigrations,
    ...segmentMigrations,
    ...scheduledChangeMigrations,
    ...approvalMigrations,
    ...triggerMigrations,
    ...followerMigrations,
    ...flagLinkMigrations,
    ...webhookMigrations,
    ...contextKindMigrations,
    ...segmentFileMigrations,
  ],
  firstStart: ensureProject,
  demo: async () => (await import('./demo.ts')).demo,
  hooks,
  subscribers: [webhookSubscriber],
  work: (kernel) => ({
    handlers: {
      ...expiryHandlers(kernel),
      ...segmentExpiryHandlers(kernel),
      ...importHandlers(kernel),
      ...exportHandlers(kernel),
      ...scheduledChangeHandlers(kernel),
      ...approvalHandlers(kernel),
    },
    recurring: [memberSweep(kernel)],
  }),
};

/** The bare token, or `Bearer` and the token. A token beats a cookie. */
function credentialOf({ headers, url }: CallFacts): Credential | undefined {
  if (isTriggerPath(url)) return undefined;
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
