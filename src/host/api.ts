// The code host: its protocol and its modules.
import type { Api, ApiProtocol, Headers } from '../kernel/http/protocol.ts';
import type { RequestContext, CategoryCounter } from '../kernel/http/request-context.ts';
import { Failure } from '../kernel/failure.ts';
import { cookieOf, SESSION_SCHEME } from '../kernel/identity/sessions/session-caller.ts';
import type { Credential } from '../kernel/identity/caller.ts';
import { retrySeconds } from '../kernel/limits/window.ts';
import { openApiModule } from '../kernel/openapi/module.ts';
import { Type, type TSchema } from '../kernel/schema/schema.ts';
import { ABSENT_PARTS } from './absent-parts.ts';
import { HostError, renderError, status, hostStatusOf } from './failures.ts';
import { checkAccept, describeAccept } from './media-type.ts';
import { pageLinks } from './list-query.ts';
import { versions } from './versions/index.ts';
import { versionSelection } from './versions/select-version.ts';
import { apiOf } from '../kernel/http/module.ts';
import { checkAppCaller } from './apps/route-permissions.ts';
import { appModule } from './apps/module.ts';
import { codeScanningModule } from './code-scanning/module.ts';
import { branchModule } from './branches/module.ts';
import { codeownersModule } from './codeowners/module.ts';
import { collaboratorModule } from './collaborators/module.ts';
import { gitDataModule } from './git-data/module.ts';
import { codeScanningSetupModule } from './code-scanning-setup/module.ts';
import { commitModule } from './commits/module.ts';
import { eventModule } from './events/module.ts';
import { forkModule } from './forks/module.ts';
import { appManifestModule } from './app-manifests/module.ts';
import { hostClient } from './client-sample.ts';
import { appPageModule } from './app-pages/module.ts';
import { archiveModule } from './archives/module.ts';
import { contentModule } from './contents/module.ts';
import { gistModule } from './gists/module.ts';
import { graphqlModule } from './graphql/module.ts';
import { maintenanceModule } from './maintenance/module.ts';
import { emojiModule } from './emojis/module.ts';
import { gitignoreModule } from './gitignore/module.ts';
import { importModule } from './imports/module.ts';
import { issueCommentModule } from './issue-comments/module.ts';
import { issueModule } from './issues/module.ts';
import { labelModule } from './labels/module.ts';
import { licenseModule } from './licenses/module.ts';
import { markdownModule } from './markdown/module.ts';
import { milestoneModule } from './milestones/module.ts';
import { hookModule } from './hooks/module.ts';
import { mergeModule } from './merges/module.ts';
import { metaModule } from './meta/module.ts';
import { organizationModule } from './organizations/module.ts';
import { customRoleModule } from './repository-roles/module.ts';
import { reviewCommentModule } from './review-comments/module.ts';
import { reviewModule } from './reviews/module.ts';
import { organizationTeamModule } from './teams/module.ts';
import { protectionModule } from './protection/module.ts';
import { pullModule } from './pulls/module.ts';
import { pushModule } from './pushes/module.ts';
import { limitExceededFor, secondaryPlan } from './rate-limit/secondary.ts';
import { rateLimitModule } from './rate-limit/module.ts';
import { reactionModule } from './reactions/module.ts';
import { repositoryModule } from './repositories/module.ts';
import { rootModule } from './root/module.ts';
import { searchModule } from './search/module.ts';
import { starModule } from './stars/module.ts';
import { statusModule } from './statuses/module.ts';
import { subIssueModule } from './sub-issues/module.ts';
import { timelineModule } from './timeline/module.ts';
import { textModule } from './texts/module.ts';
import { transportModule } from './transport/module.ts';
import { transferModule } from './transfers/module.ts';
import { upgradeReportModule } from './upgrade-report/module.ts';
import { userModule } from './users/module.ts';
import { watchModule } from './watches/module.ts';
import { ENTERPRISE_PREFIX } from './site.ts';

const HOUR = 3600;

const protocol: ApiProtocol = {
  name: 'host',
  title: 'Host API',
  description:
    'A code host: repositories on real git, issues, pull requests with reviews, organizations, gists, code scanning and apps, with ' +
    'rate limits and dated versions. The header X-Host-Api-Version chooses a version. Lists are arrays: the header Link leads to the next page. Replies have an ETag, and a call with ' +
    'If-None-Match is free where nothing changed. Errors have a `message` and a `documentation_url`. Every path below ' +
    '`/repos/{owner}/{repo}` exists below `/repositories/{repository_id}` too, and every one below `/orgs/{org}` below ' +
    '`/organizations/{organization_id}`.',
  prefixes: ['', ENTERPRISE_PREFIX],
  pathAliases: {
    '/repositories/{repository_id}': '/repos/{owner}/{repo}',
    '/organizations/{organization_id}': '/orgs/{org}',
  },
  absentParts: ABSENT_PARTS,
  slashedParams: ['branch', 'ref'],
  unknownPaths: 'not-found',
  status,
  statusOf: hostStatusOf,
  renderError,
  errorSchema: HostError,
  client: hostClient,
  tokenHeader: 'Authorization: Bearer <token>',
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', description: 'The word `token` will do instead of `Bearer`' },
    basic: { type: 'http', scheme: 'basic', description: 'Any user name, and the token as password' },
    session: SESSION_SCHEME,
  },
  credentialOf,
  checkCaller: checkAppCaller,
  page: {
    render: (page, { base, url }) => ({ body: page.items, headers: pageLinks(page, base, url) }),
    schema: (item: TSchema) => Type.Array(item),
  },
  ...versionSelection(versions),
  checkHeaders: ({ headers, shape }) => checkAccept(headers.accept, shape?.produces, shape?.accepts),
  limits: {
    quotas: {
      core: { anonymous: 60, known: 5000, seconds: HOUR, mayBeRaised: true },
      search: { anonymous: 10, known: 30, seconds: 60 },
      graphql: { anonymous: 0, known: 5000, seconds: HOUR },
      integration_manifest: { anonymous: 5000, known: 5000, seconds: HOUR },
      code_scanning_upload: { anonymous: 0, known: 1000, seconds: HOUR },
      // Requests of git, of which a clone makes two or three.
      git: { anonymous: 600, known: 6000, seconds: 60 },
    },
    categoriesOf: (shape) => [shape?.limit ?? 'core'],
    headers: limitHeaders,
    exceeded: ({ counter }, { caller, address, base, now }) =>
      new Failure(
        'exhausted',
        caller !== undefined && caller.kind !== 'anonymous'
          ? limitExceededFor(caller)
          : `API rate limit exceeded for ${address}. Authenticated calls get a higher limit: see ${base}/rate_limit.`,
        { headers: { 'retry-after': String(retrySeconds(counter, now)) } },
      ),
    hasChosenStatus: true,
    secondary: secondaryPlan,
  },
  cors: {
    origin: '*',
    allowHeaders:
      'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, X-Requested-With, X-Host-Api-Version, X-GitHub-Api-Version',
    allowMethods: 'GET, POST, PATCH, PUT, DELETE',
    exposeHeaders:
      'ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, X-RateLimit-Reset, X-Poll-Interval, X-GitHub-Media-Type, X-GitHub-Request-Id, X-Host-Media-Type, X-Host-Request-Id, X-Host-Api-Version-Selected, X-GitHub-Api-Version-Selected, Deprecation, Sunset',
    maxAge: 86_400,
  },
  headers: {
    'content-type': 'application/json; charset=utf-8',
    vary: 'Accept, Authorization, Cookie, X-Host-Api-Version, X-GitHub-Api-Version',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'deny',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
  },
  callHeaders,
  bodyLimit: 10 * 1024 * 1024,
  // Clients send JSON under various content types, so bodies are read as JSON whatever the type is.
  checkContentType: () => {},
  conditional: true,
};

export const hostApi: Api = apiOf(protocol, [
  rootModule,
  rateLimitModule,
  metaModule,
  userModule,
  organizationModule,
  organizationTeamModule,
  customRoleModule,
  repositoryModule,
  pushModule,
  maintenanceModule,
  transportModule,
  collaboratorModule,
  eventModule,
  hookModule,
  starModule,
  watchModule,
  gitDataModule,
  branchModule,
  protectionModule,
  commitModule,
  statusModule,
  issueModule,
  issueCommentModule,
  reactionModule,
  labelModule,
  milestoneModule,
  mergeModule,
  timelineModule,
  subIssueModule,
  pullModule,
  reviewModule,
  reviewCommentModule,
  importModule,
  textModule,
  forkModule,
  transferModule,
  appModule,
  codeScanningSetupModule,
  contentModule,
  codeownersModule,
  archiveModule,
  gistModule,
  markdownModule,
  licenseModule,
  gitignoreModule,
  emojiModule,
  searchModule,
  graphqlModule,
  codeScanningModule,
  appManifestModule,
  appPageModule,
  upgradeReportModule(() => hostApi),
  openApiModule('meta/get-openapi', () => hostApi),
]);

/** `Bearer X`, `token X`, or Basic with the token as password (or as user name, when there is no password). */
function credentialOf({ headers, site }: RequestContext): Credential | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return cookieOf(headers.cookie, site);
  const [scheme = '', rest = ''] = authorization.trim().split(/\s+/, 2);
  if (scheme.toLowerCase() !== 'basic') return { kind: 'token', secret: rest === '' ? scheme : rest };
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(Buffer.from(rest, 'base64').toString('utf8'))!;
  return { kind: 'token', secret: password === '' || password === 'x-oauth-basic' ? user : password };
}

function limitHeaders([first]: CategoryCounter[]): Headers {
  const { category, counter } = first!;
  return {
    'x-ratelimit-limit': String(counter.limit),
    'x-ratelimit-remaining': String(counter.remaining),
    'x-ratelimit-used': String(counter.used),
    'x-ratelimit-reset': String(counter.resetAt / 1000),
    'x-ratelimit-resource': category.slice('host.'.length),
  };
}

function callHeaders({ id, caller, headers, shape, variant }: RequestContext): Headers {
  const media = describeAccept(headers.accept, variant);
  const own: Headers = {
    'x-host-request-id': id,
    'x-github-request-id': id,
    'x-host-media-type': `host.${media}`,
    'x-github-media-type': `github.${media}`,
  };
  if (shape?.cache !== 'never') {
    const isKnown = caller !== undefined && caller.kind !== 'anonymous';
    own['cache-control'] = `${isKnown ? 'private' : 'public'}, max-age=60, s-maxage=60`;
  }
  return own;
}
