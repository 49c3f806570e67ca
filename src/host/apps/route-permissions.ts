// The one table that says what a program needs for each route of the host.
import type { RouteShape } from '../../kernel/http/route.ts';
import type { AppPermissionLevel } from './permissions.ts';

/**
 * `open`: nothing beside what the route asks of everybody. `person`: a member or a service token, no program. `app`: a token
 * that an app has signed. `installation`: the token of an installation. Otherwise a permission, which calls without a
 * credential do not need for what is public.
 */
export type RouteNeed =
  | 'open'
  | 'person'
  | 'app'
  | 'installation'
  | { permission: string; level: AppPermissionLevel };

/** `GET` alone is a rule for reading, `*` for all methods; the first rule that matches counts. */
type Rule = readonly [methods: string, path: RegExp, need: string];

const REPOSITORY = String.raw`^/repos/\{owner\}/\{repo\}`;
const ORGANIZATION = String.raw`^/orgs/\{org\}`;
const inRepository = (rest: string) => new RegExp(`${REPOSITORY}/${rest}(?:/|$)`);
const inOrganization = (rest: string) => new RegExp(`${ORGANIZATION}/${rest}(?:/|$)`);

/** A permission without a level needs `read` for GET and `write` for all else. */
const RULES: readonly Rule[] = [
  // Apps and their installations.
  ['*', /^\/app(?:\/|$)/, 'app'],
  ['*', /^\/(?:orgs\/\{org\}|repos\/\{owner\}\/\{repo\}|users\/\{username\})\/installation$/, 'app'],
  ['*', /^\/installation\//, 'installation'],
  ['*', /^\/(?:apps|app-manifests)\//, 'open'],
  // What belongs to a person.
  ['GET', /^\/user\/\{account_id\}$/, 'open'],
  ['*', /^\/user(?:\/|$)/, 'person'],
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
  ['*', inRepository('(?:issues|labels|milestones|assignees)'), 'issues'],
  ['*', inRepository('pulls'), 'pull_requests'],
  [
    'GET',
    inRepository('(?:languages|topics|stargazers|subscribers|events|forks|contributors|tags)'),
    'metadata',
  ],
  ['*', inRepository('topics'), 'administration'],
  [
    '*',
    inRepository('(?:git|contents|readme|license|commits|compare|branches|tarball|zipball|merges)'),
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
  const [permission = '', level = method === 'GET' ? 'read' : 'write'] = need.split(':');
  return { permission, level: level as AppPermissionLevel };
}
