// Where links and images of a text lead that somebody else wrote: to pages elsewhere, into the console, or nowhere.
/** A path below the console for an address relative to the text; undefined where there is no page. */
export type PageOf = (relative: string) => string | undefined;

export interface SafeLink {
  href: string;
  /** A path below the console. */
  isInside: boolean;
}

/** `html_url` of repositories and what belongs to them: the console has their pages. */
const HOSTED = /^\/([\w-]+)\/([\w.-]+)(\/(?:tree|blob|commits?|compare|issues|pulls?|branches)(?:\/.*)?)?$/;
/** First words of paths that are no accounts. */
const RESERVED = new Set(['api', 'v2', 'raw', 'docs', 'console', 'session', 'signalbox', 'repos', 'login']);

/** `server` is the address of this server, without a slash at its end. Undefined where the link is text. */
export function resolveLink(href: string, server: string, pageOf: PageOf | undefined): SafeLink | undefined {
  const trimmed = href.trim();
  if (isAbsolute(trimmed)) {
    const url = URL.parse(trimmed);
    if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
    const path = pathBelow(url, server);
    const inside = path === undefined ? undefined : pageOfAddress(path, url);
    return inside === undefined ? { href: url.href, isInside: false } : { href: inside, isInside: true };
  }
  const page = trimmed === '' ? undefined : pageOf?.(trimmed);
  return page === undefined ? undefined : { href: page, isInside: true };
}

function isAbsolute(href: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|[/\\]{2})/i.test(href);
}

/** Undefined for addresses elsewhere. */
function pathBelow({ origin, pathname }: URL, server: string): string | undefined {
  const address = origin + pathname;
  return address.startsWith(`${server}/`) ? address.slice(server.length) : undefined;
}

/** A path below the console for a path of this server. */
function pageOfAddress(path: string, { search, hash }: URL): string | undefined {
  const [, owner, repo, rest = ''] = HOSTED.exec(path) ?? [];
  if (owner === undefined || RESERVED.has(owner)) return undefined;
  const place = rest.replace(/^\/pull\//, '/pulls/');
  return `/code/${owner}/${repo}${place}${search}${hash}`;
}

export type ImageSource =
  /** To the text. */
  | { kind: 'relative'; path: string }
  /** A file of a repository of this server. */
  | { kind: 'raw'; path: string }
  | { kind: 'elsewhere'; href: string };

export function resolveImage(src: string, server: string): ImageSource | undefined {
  const trimmed = src.trim();
  if (!isAbsolute(trimmed)) return trimmed === '' ? undefined : { kind: 'relative', path: trimmed };
  const url = URL.parse(trimmed);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const path = pathBelow(url, server);
  if (path !== undefined && /^\/raw\/[^/]+\/[^/]+\/./.test(path)) return { kind: 'raw', path };
  return { kind: 'elsewhere', href: url.href };
}
