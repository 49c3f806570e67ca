// The head of a program's reply as the client gets it: without what would be about this server instead of the program.
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { connectionNames, HOP_BY_HOP, publicParts, type ForwardedClient } from './request-head.ts';

/**
 * Browsers would take these for the whole origin, which belongs to this server: cookies, the cache and storage of its pages,
 * how they connect to it, where they report errors, what a service worker may see.
 */
const DROPPED_REPLY = new Set([
  ...HOP_BY_HOP,
  'accept-ch',
  'access-control-allow-credentials',
  'alt-svc',
  'cache-control',
  'clear-site-data',
  'content-type',
  'critical-ch',
  'expect-ct',
  'location',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'strict-transport-security',
  'x-content-type-options',
]);

export interface ProgramReply {
  rawHeaders: readonly string[];
  headers: Record<string, string | string[] | undefined>;
}

/** Names and values in turn, as Node takes them. */
export function replyHead({ rawHeaders, headers }: ProgramReply, client: ForwardedClient): string[] {
  const named = connectionNames(rawHeaders);
  const head: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const folded = rawHeaders[index]!.toLowerCase();
    if (DROPPED_REPLY.has(folded) || named.has(folded)) continue;
    head.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  // One content type: of two, browsers might take the one that was not looked at here.
  const { 'content-type': type, ...sandbox } = userContentHeaders(String(headers['content-type'] ?? ''));
  if (type !== undefined && type !== '') head.push('content-type', type);
  // A policy of the program's own counts beside it: browsers apply both.
  for (const [name, value] of Object.entries(sandbox)) head.push(name, value);
  const { location } = headers;
  const target = typeof location === 'string' ? redirectTarget(location, client) : undefined;
  if (target !== undefined) head.push('location', target);
  head.push('cache-control', privately(headers['cache-control']));
  if (headers['access-control-allow-origin'] === undefined) head.push('access-control-allow-origin', '*');
  if (headers['referrer-policy'] === undefined) head.push('referrer-policy', 'no-referrer');
  return head;
}

/** Shared caches do not know for whom a reply is, where the session came in a cookie. */
function privately(sent: string | string[] | undefined): string {
  const words = String(sent ?? 'no-store')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => !/^(?:public|private|s-maxage\b.*|)$/i.test(word));
  return ['private', ...words].join(', ');
}

/** Stands for the program's own host, while a URL is read. */
const INSIDE = 'program.invalid';

/**
 * The program does not know the path of the proxy. A redirect to another place of this server is dropped: the browser would
 * follow it with the viewer's session as if this server had sent it. The URL is read as browsers read it, against the public
 * scheme (to a page of HTTPS `https:/x` is a path), and sent in its normal form, which has one meaning only.
 */
export function redirectTarget(
  location: string,
  { publicUrl, base, path, host }: ForwardedClient,
): string | undefined {
  const { protocol, host: publicHost } = publicParts(publicUrl);
  const inside = `${protocol}://${INSIDE}${path}`;
  // Node reads headers as Latin-1, and browsers as UTF-8.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  if (!URL.canParse(text, inside)) return undefined;
  const url = new URL(text, inside);
  const { pathname, search, hash } = url;
  const isBelow = pathname === base || pathname.startsWith(`${base}/`);
  // Always the whole path: a relative one could lead out of the base, which may have no slash at its end.
  if (url.hostname === INSIDE) return (isBelow ? '' : base) + pathname + search + hash;
  if (url.host !== publicHost && url.host !== hostIn(host, protocol)) return url.href;
  return isBelow ? url.href : undefined;
}

/** In the form that URLs have it. */
function hostIn(header: string | undefined, protocol: string): string | undefined {
  const url = `${protocol}://${header ?? ''}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}
