// Addresses of the pages of a repository. A reference is one part of the path, so its slashes are written as `%2F`; the parts of a file's
// path stay apart.

export interface RepositoryPlace {
  owner: string;
  repo: string;
}

export interface CodePlace extends RepositoryPlace {
  /** The word after the repository: `tree`, `blob`, `commits`; empty for the repository itself. */
  kind: string;
  /** Undefined where the address names none. */
  ref: string | undefined;
  /** Of a file or a folder; empty for the root. */
  path: string;
}

/** `pathname` is below the console, as the browser has it: what is decoded already could mean another file. */
export function readPlace(pathname: string): CodePlace {
  const [, , owner = '', repo = '', kind = '', ref = '', ...rest] = pathname.split('/').map(decode);
  return {
    owner,
    repo,
    kind,
    ref: ref === '' ? undefined : ref,
    path: rest.filter((part) => part !== '').join('/'),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

export function repositoryHref({ owner, repo }: RepositoryPlace): string {
  return `/code/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`;
}

function placeHref(place: RepositoryPlace, kind: string, ref: string, path: string): string {
  const start = `${repositoryHref(place)}/${kind}/${encodeURIComponent(ref)}`;
  return path === '' ? start : `${start}/${encodePath(path)}`;
}

export function treeHref(place: RepositoryPlace, ref: string, path = ''): string {
  return placeHref(place, 'tree', ref, path);
}

export function blobHref(place: RepositoryPlace, ref: string, path: string): string {
  return placeHref(place, 'blob', ref, path);
}

export function commitsHref(place: RepositoryPlace, ref: string, path = ''): string {
  return placeHref(place, 'commits', ref, path);
}

export function commitHref(place: RepositoryPlace, sha: string): string {
  return `${repositoryHref(place)}/commit/${encodeURIComponent(sha)}`;
}

export function compareHref(place: RepositoryPlace, base: string, head: string): string {
  return `${repositoryHref(place)}/compare/${encodeURIComponent(base)}...${encodeURIComponent(head)}`;
}

/** Of one part of the settings; the general one where none is named. */
export function settingsHref(place: RepositoryPlace, part: '' | 'access' | 'branches' | 'webhooks'): string {
  return `${repositoryHref(place)}/settings${part === '' ? '' : `/${part}`}`;
}

/** The page of the rule of a branch. */
export function ruleHref(place: RepositoryPlace, branch: string): string {
  return `${settingsHref(place, 'branches')}/${encodePath(branch)}`;
}

/** The two sides of a comparison, from the part of the address after `compare`; undefined for one that is not named. */
export function readComparison({ ref, path }: CodePlace): { base?: string; head?: string } {
  if (ref === undefined) return {};
  const [base = '', head = ''] = (path === '' ? ref : `${ref}/${path}`).split('...');
  return { ...(base !== '' && { base }), ...(head !== '' && { head }) };
}

/** A path relative to the folder of a file: `../a.md` in `docs/b.md` is `a.md`. Undefined outside of the repository. */
export function resolvePath(from: string, relative: string): string | undefined {
  const parts = relative.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** Of the names of references, the longest that the path begins with: `a/b` of `a/b/c.ts`. */
export function longestRef(names: readonly string[], path: string): string | undefined {
  return names
    .filter((name) => path === name || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0];
}
