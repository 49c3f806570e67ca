// The pages of the console that show what addresses of the code host stand for: its replies give them as `html_url`. ADR 0162.
import { RESERVED_NAMES } from '../../host/owners/model.ts';
import { requestPath } from '../../kernel/http/prefixes.ts';

/** Users, organizations, and the accounts of service tokens. */
const OWNER = /^[a-z0-9][\w-]*(?:\.bot)?$/i;
const REPOSITORY = /^[\w.-]+$/;
const NUMBER = /^[1-9]\d{0,15}$/;
const COMMIT = /^[0-9a-f]{4,64}$/i;
const GIST = /^[0-9a-z]+$/i;
/** In any encoding: clients would leave the page that they are sent to. */
const DOTS = /^(?:\.|%2e){1,2}$/i;
/** Of comparisons and pull requests as text, which are no pages. */
const TEXT = /\.(?:diff|patch)$/;
const PULL_TABS: readonly string[] = ['commits', 'files'];

/** Pages of a repository that the console does not have: the repository is the nearest. */
const WITHOUT_PAGE: readonly string[] = ['releases', 'stargazers', 'watchers'];

const reserved: ReadonlySet<string> = new Set(RESERVED_NAMES);

/**
 * By the form of the address alone, whether or not there is such a thing, so that nobody learns of private repositories. Undefined
 * for what is no page of the host. `isReserved` says which further words paths of this server begin with.
 */
export function consolePathOf(url: string, isReserved: (word: string) => boolean): string | undefined {
  const parts = requestPath(url).split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  const [owner = '', repo, ...rest] = parts;
  if (parts.some((part) => part === '' || DOTS.test(part))) return undefined;
  if (owner === '') return '/console';
  const word = owner.toLowerCase();
  if (reserved.has(word) || isReserved(word)) return fixedPath(parts);
  if (!OWNER.test(owner)) return undefined;
  if (repo === undefined) return ownerPath(owner);
  if (!REPOSITORY.test(repo)) return undefined;
  const home = `/console/code/${owner}/${repo.replace(/\.git$/i, '')}`;
  const below = rest.length === 0 ? '' : belowRepository(rest);
  return below === undefined ? undefined : withQueryOf(url, home + below);
}

/** Below words that no account can have as its name. */
function fixedPath([word, name, kind, item, ...more]: readonly string[]): string | undefined {
  if (word === 'gist' && GIST.test(name ?? '') && kind === undefined) return `/console/gists/${name}`;
  const isTeam = word === 'orgs' && kind === 'teams' && item !== undefined && more.length === 0;
  return isTeam && OWNER.test(name!) ? `/console/orgs/${name}/teams/${item}` : undefined;
}

/** The repositories of the owner, among those that the reader may see. */
function ownerPath(owner: string): string {
  return `/console/code?q=${encodeURIComponent(`${owner}/`)}`;
}

/** The parts stay as they are encoded. Undefined for what is no page, such as the addresses that git asks for. */
function belowRepository([kind = '', ...rest]: readonly string[]): string | undefined {
  const [item, tab, ...more] = rest;
  const isList = item === undefined;
  const isOne = !isList && tab === undefined;
  switch (kind) {
    case 'tree':
    case 'blob':
    case 'commits':
      return ['', kind, ...rest].join('/');
    case 'commit':
      return isOne && COMMIT.test(item) ? `/commit/${item}` : undefined;
    case 'compare':
      return TEXT.test(rest.at(-1) ?? '') ? undefined : ['', kind, ...rest].join('/');
    case 'branches':
    case 'tags':
    case 'milestones':
    case 'settings':
      return isList ? `/${kind}` : undefined;
    case 'labels':
      if (isList) return '/labels';
      return isOne ? `/issues?label=${item}` : undefined;
    case 'milestone':
      return isOne && NUMBER.test(item) ? `/issues?state=all&milestone=${item}` : undefined;
    case 'issues':
    case 'pulls':
      if (isList) return `/${kind}`;
      return isOne && (item === 'new' || NUMBER.test(item)) ? `/${kind}/${item}` : undefined;
    case 'security':
      if (tab === undefined) return '/security';
      return NUMBER.test(tab) && more.length === 0 ? `/security/code-scanning/${tab}` : undefined;
    case 'pull':
      if (isList || !NUMBER.test(item) || more.length > 0) return undefined;
      if (tab === undefined) return `/pulls/${item}`;
      return PULL_TABS.includes(tab) ? `/pulls/${item}/${tab}` : undefined;
    default:
      return WITHOUT_PAGE.includes(kind) ? '' : undefined;
  }
}

/** Such as that of a filter, which the pages of the console also have in their addresses. */
function withQueryOf(url: string, path: string): string {
  const start = url.indexOf('?');
  return start === -1 || path.includes('?') ? path : path + url.slice(start);
}
