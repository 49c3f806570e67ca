// The one table that says what a program needs for each route of the host, and the check of callers by it.
import { Failure } from '../../kernel/failure.ts';
import type { RequestContext } from '../../kernel/http/request-context.ts';
import { type RouteShape, isOpen } from '../../kernel/http/route.ts';
import { undecodable } from './app-tokens.ts';
import { type AppPermissionLevel, includesLevel } from './permissions.ts';
import { appOf, callerLacking, installationOf, notAccessible } from './program.ts';

/**
 * `open`: nothing beside what the route asks of everybody. `person`: a member or a service token, no program. `app`: a token
 * that an app has signed. `installation`: the token of an installation. Otherwise a permission, which calls without a
 * credential do not need for what is public.
 */
type RouteNeed =
  | 'open'
  | 'person'
  | 'app'
  | 'installation'
  | {
      permission: string;
      /** Any of these will do instead. */ others: readonly string[];
      level: AppPermissionLevel;
    };

/** `GET` alone is a rule for reading, `*` for all methods; the first rule that matches counts. */
type Rule = readonly [methods: string, path: RegExp, need: string];

const REPOSITORY = String.raw`^/repos/\{owner\}/\{repo\}`;
const ORGANIZATION = String.raw`^/orgs/\{org\}`;
const inRepository = (rest: string) => new RegExp(`${REPOSITORY}/${rest}(?:/|$)`);
const inOrganization = (rest: string) => new RegExp(`${ORGANIZATION}/${rest}(?:/|$)`);

/**
 * A permission without a level needs `read` for GET and `write` for all else. Of several, with `|` between them, any will do: which
 * of them it must be, what is behind the route decides.
 */
const RULES: readonly Rule[] = [
  // Apps and their installations.
  ['*', /^\/app(?:\/|$)/, 'app'],
  ['*', /^\/(?:orgs\/\{org\}|repos\/\{owner\}\/\{repo\}|users\/\{username\})\/installation$/, 'app'],
  ['*', /^\/installation\//, 'installation'],
  ['*', /^\/(?:apps|app-manifests)\//, 'open'],
  // What belongs to a person.
  ['GET', /^\/user\/\{account_id\}$/, 'open'],
  ['*', /^\/user(?:\/|$)/, 'person'],
  ['*', /^\/issues$/, 'person'],
  ['*', /^\/admin\//, 'person'],
  ['*', /^\/versions\/\{version\}\/impact$/, 'person'],
  ['*', /^\/users\/\{username\}\/events\/orgs\//, 'person'],
  ['*', inRepository('subscription'), 'person'],
  ['*', inRepository('(?:generate|transfer)'), 'person'],
  ['POST', inRepository('forks'), 'person'],
  ['PUT', inOrganization('public_members'), 'person'],
  ['DELETE', inOrganization('public_members'), 'person'],
  ['GET', /^\/gists(?:\/|$)/, 'open'],
  ['*', /^\/gist\/\{\w+\}\/(?:info\/refs|git-upload-pack|raw\/.+)$/, 'open'],
  ['*', /^\/gists?(?:\/|$)/, 'person'],
  // Organizations.
  ['*', inOrganization('installations'), 'organization_administration'],
  ['*', inOrganization('hooks'), 'organization_hooks'],
  ['*', inOrganization('(?:teams|members|memberships|public_members)'), 'members'],
  ['*', inOrganization('custom-repository-roles'), 'organization_custom_roles'],
  ['*', /^\/organizations\/\{organization_id\}\/custom_roles$/, 'organization_custom_roles'],
  ['GET', inOrganization('(?:repos|events)'), 'metadata'],
  ['GET', inOrganization('issues'), 'issues'],
  ['*', inOrganization('repos'), 'administration'],
  ['*', inOrganization('code-scanning'), 'security_events'],
  ['GET', new RegExp(`${ORGANIZATION}$`), 'metadata'],
  ['*', new RegExp(`${ORGANIZATION}$`), 'organization_administration'],
  // Repositories.
  ['*', inRepository('hooks'), 'repository_hooks'],
  ['*', inRepository('code-scanning/default-setup'), 'administration'],
  ['*', inRepository('code-scanning'), 'security_events'],
  ['*', inRepository(String.raw`branches/\{branch\}/protection`), 'administration'],
  ['GET', inRepository('collaborators'), 'metadata'],
  ['*', inRepository('(?:collaborators|teams)'), 'administration'],
  ['*', inRepository(String.raw`commits/\{ref\}/status(?:es)?`), 'statuses'],
  ['*', inRepository('statuses'), 'statuses'],
  ['*', inRepository(String.raw`issues/(?:\{issue_number\}/.+|comments|events)`), 'issues|pull_requests'],
  ['*', inRepository('(?:issues|labels|milestones|assignees)'), 'issues'],
  ['PUT', inRepository(String.raw`pulls/\{pull_number\}/(?:merge|update-branch)`), 'contents'],
  ['*', inRepository('pulls'), 'pull_requests'],
  ['GET', inRepository(String.raw`commits/\{commit_sha\}/pulls`), 'pull_requests'],
  [
    'GET',
    inRepository('(?:languages|topics|stargazers|subscribers|events|forks|contributors|tags)'),
    'metadata',
  ],
  ['*', inRepository('topics'), 'administration'],
  [
    '*',
    inRepository(
      '(?:git|contents|codeowners|readme|license|commits|compare|branches|tarball|zipball|merges|merge-upstream)',
    ),
    'contents',
  ],
  ['GET', new RegExp(`${REPOSITORY}$`), 'metadata'],
  ['*', new RegExp(`${REPOSITORY}$`), 'administration'],
  ['GET', /^\/(?:raw|archives)\//, 'contents'],
  ['GET', /^\/networks\//, 'metadata'],
  // The protocol of git: a push begins with a GET, whose query says so.
  ['*', /^\/\{owner\}\/\{repo\}\/(?:info\/refs|git-upload-pack)$/, 'contents:read'],
  ['*', /^\/\{owner\}\/\{repo\}\/git-receive-pack$/, 'contents:write'],
  // What everybody may read.
  [
    'GET',
    /^\/(?:users|events|feeds|search|organizations|repositories|avatars|versions|licenses|gitignore|emojis)(?:\/|$)/,
    'open',
  ],
  ['GET', /^\/(?:$|rate_limit|meta|zen|octocat|openapi\.json)/, 'open'],
  ['POST', /^\/markdown(?:\/|$)/, 'open'],
  ['POST', /^\/(?:api\/)?graphql$/, 'metadata:read'],
];

/** Undefined for a route that the table does not have: programs may not call it. */
export function findRouteNeed({ method, path }: Pick<RouteShape, 'method' | 'path'>): RouteNeed | undefined {
  const rule = RULES.find(
    ([methods, pattern]) => (methods === '*' || methods === method) && pattern.test(path),
  );
  if (rule === undefined) return undefined;
  const [, , need] = rule;
  if (need === 'open' || need === 'person' || need === 'app' || need === 'installation') return need;
  const [names = '', level = method === 'GET' ? 'read' : 'write'] = need.split(':');
  const [permission = '', ...others] = names.split('|');
  return { permission, others, level: level as AppPermissionLevel };
}

const needs = new WeakMap<RouteShape, RouteNeed>();

function needOf(shape: RouteShape): RouteNeed {
  let need = needs.get(shape);
  if (need === undefined) needs.set(shape, (need = findRouteNeed(shape) ?? 'person'));
  return need;
}

/** Which callers a route is for: programs need what the table says, and the routes of apps need programs. */
export function checkAppCaller(facts: RequestContext): void {
  const { shape, caller } = facts;
  if (shape === undefined || caller === undefined) return;
  const need = needOf(shape);
  const app = appOf(caller);
  if (need === 'app') {
    if (app === undefined) throw undecodable();
    return;
  }
  if (app !== undefined) {
    if (need !== 'open' || !isOpen(shape)) throw notAccessible();
    return;
  }
  const installation = installationOf(caller);
  if (installation === undefined) {
    if (need === 'installation' && caller.kind !== 'anonymous')
      throw new Failure('denied', 'You must authenticate with an installation access token.');
    return;
  }
  if (need === 'open' || need === 'installation') return;
  if (need === 'person') throw notAccessible();
  const level = isPushBegin(facts) ? 'write' : need.level;
  const permissions = [need.permission, ...need.others];
  if (permissions.some((name) => includesLevel(installation.permissions[name], level))) return;
  const lacks = `${need.permission}:${level}`;
  if (!isOpen(shape) || caller.kind === 'anonymous') throw notAccessible(lacks);
  facts.caller = callerLacking(caller, lacks);
}

function isPushBegin({ shape, url }: RequestContext): boolean {
  return shape!.path.endsWith('/info/refs') && url.includes('git-receive-pack');
}
