// The parts of a code host that clients know and this server does not have, by the beginnings of their paths.
import type { AbsentPart } from '../kernel/http/protocol.ts';
import { routedPath } from '../kernel/http/prefixes.ts';

/** What it is, and where clients look for it: `R` stands for a repository, `O` for an organization, `*` for any name. */
const PARTS: readonly (readonly [what: string, paths: string])[] = [
  ['workflows', 'R/actions O/actions R/dispatches O/artifacts'],
  ['issues by search, their types and fields', 'O/issue-types O/issue-fields /search/issues'],
  ['the search of labels', '/search/labels'],
  ['comments on commits', 'R/comments R/commits/*/comments'],
  ['checks', 'R/check-runs R/check-suites R/commits/*/check-runs R/commits/*/check-suites'],
  ['releases', 'R/releases R/immutable-releases R/downloads'],
  ['deployments and environments', 'R/deployments R/environments'],
  ['deploy keys', 'R/keys'],
  ['pages', 'R/pages'],
  ['rulesets', 'R/rules R/rulesets O/rulesets'],
  [
    'search of code, commits, repositories and topics',
    '/search/code /search/commits /search/repositories /search/topics',
  ],
  ['notifications', '/notifications R/notifications'],
  ['following of people', '/user/following/* /users/*/following/*'],
  [
    'invitations',
    'R/invitations O/invitations O/failed_invitations /user/repository_invitations O/teams/*/invitations',
  ],
  ['outside collaborators', 'O/outside_collaborators'],
  [
    'blocked users and limits on interactions',
    'R/interaction-limits O/interaction-limits /user/interaction-limits O/blocks /user/blocks',
  ],
  [
    'GPG and signing keys',
    '/user/gpg_keys /users/*/gpg_keys /user/ssh_signing_keys /users/*/ssh_signing_keys',
  ],
  ['social accounts', '/user/social_accounts /users/*/social_accounts'],
  ['hovercards', '/users/*/hovercard'],
  ['statistics', 'R/stats R/traffic R/community R/activity /codes_of_conduct'],
  ['automatic links', 'R/autolinks'],
  ['custom properties', 'R/properties O/properties O/org-properties'],
  ['packages', 'O/packages /user/packages /users/*/packages O/docker /user/docker /users/*/docker'],
  ['projects', 'R/projects O/projects O/projectsV2 /users/*/projectsV2 /projects O/teams/*/projects'],
  ['discussions', 'R/discussions O/teams/*/discussions'],
  ['secret scanning', 'R/secret-scanning O/secret-scanning'],
  [
    'updates and graphs of dependencies',
    'R/dependabot O/dependabot /enterprises/*/dependabot R/dependency-graph R/automated-security-fixes R/vulnerability-alerts',
  ],
  [
    'security advisories',
    '/advisories R/security-advisories O/security-advisories R/private-vulnerability-reporting',
  ],
  [
    'fixes, databases and campaigns of code scanning',
    'R/code-scanning/alerts/*/autofix R/code-scanning/codeql O/campaigns',
  ],
  ['security configurations', 'R/code-security-configuration O/code-security O/security-managers'],
  ['attestations', 'R/attestations O/attestations /users/*/attestations'],
  [
    'development environments',
    'R/codespaces R/pulls/*/codespaces O/codespaces /user/codespaces O/members/*/codespaces',
  ],
  ['assistants', 'O/copilot O/team/*/copilot O/members/*/copilot /enterprises/*/copilot'],
  ['migrations and imports', 'O/migrations /user/migrations R/import'],
  ['roles of organizations', 'O/organization-roles O/organization-fine-grained-permissions'],
  ['approval of personal tokens', 'O/personal-access-tokens O/personal-access-token-requests /credentials'],
  ['private registries', 'O/private-registries'],
  ['billing and network settings', 'O/settings /users/*/settings /user/settings'],
  [
    'synchronization of teams with other systems',
    'O/team-sync O/external-group O/external-groups O/teams/*/team-sync O/teams/*/external-groups',
  ],
  ['enterprises', '/enterprises /scim'],
  ['marketplace', '/marketplace_listing /user/marketplace_purchases'],
  ['requests for installations', '/app/installation-requests'],
  ['OAuth applications', '/applications /authorizations /settings/connections'],
  ['classrooms', '/assignments /classrooms'],
  ['hub for subscriptions', '/hub'],
];

const SHORT: Readonly<Record<string, string>> = {
  R: '/(?:repos/[^/]+/[^/]+|repositories/[^/]+)',
  O: '/(?:orgs/[^/]+|organizations/[^/]+)',
};

function patternOf(path: string): string {
  const start = SHORT[path.charAt(0)];
  const rest = start === undefined ? path : path.slice(1);
  // Names of branches have slashes.
  return (start ?? '') + rest.replace('commits/*', 'commits/.+').replaceAll('*', '[^/]+');
}

const PATTERNS = PARTS.map(([what, paths]) => {
  const beginnings = paths.split(' ').map(patternOf).join('|');
  return { what, at: new RegExp(`^(?:${beginnings})(?:/|$)`) };
});

/** For the documentation. */
export const ABSENT_PARTS: readonly AbsentPart[] = PARTS.map(([what, paths]) => ({
  what,
  paths: paths
    .replaceAll(/(?<= |^)R/g, '/repos/*/*')
    .replaceAll(/(?<= |^)O/g, '/orgs/*')
    .split(' '),
}));

/** What it is that clients look for at an address of the host, with or without its prefix; undefined for all else. */
export function absentPartAt(url: string): string | undefined {
  const path = routedPath(url).replace(/^\/api\/v3(?=\/)/, '');
  return PATTERNS.find(({ at }) => at.test(path))?.what;
}

/** The section of the documentation that lists them. */
export const DIFFERENCES = '/docs/host#differences';
