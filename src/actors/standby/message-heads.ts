// The heads of messages that pass the proxy: of a request as the program gets it, and of a reply as the client gets it, without what would be about this server instead of the program.
import { SESSION_HEADER } from '../../kernel/identity/sessions/session-caller.ts';
import { LINK_HEADER } from '../../kernel/identity/sessions/session-link.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { type WebServer, SECRET_HEADER } from '../runs/web-server.ts';

/** They are about one connection (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** The header by which the server itself asks whether a program is ready. */
export const PROBE_HEADER = 'x-apify-container-server-readiness-probe';

/**
 * What a program must not get, or not from the client. Cookies belong to this server and to what may stand in front of it:
 * programs cannot set any.
 */
const DROPPED_REQUEST = new Set([
  ...HOP_BY_HOP,
  'authorization',
  'cookie',
  'proxy-authorization',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'referer',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
  'x-signalbox-hop',
  LINK_HEADER,
  SESSION_HEADER,
  PROBE_HEADER,
  SECRET_HEADER,
]);

/** Names of further hop-by-hop headers, in lower case. */
export function connectionNames(rawHeaders: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== 'connection') continue;
    for (const name of rawHeaders[index + 1]!.split(',')) names.add(name.trim().toLowerCase());
  }
  return names;
}

interface SentHead {
  rawHeaders: readonly string[];
  /** How the body comes: its length, or `chunked`; undefined for none. */
  body: number | 'chunked' | undefined;
  isUpgrade: boolean;
  client: ForwardedClient;
}

/** What the program may know of the client and of its own address. */
export interface ForwardedClient {
  address: string;
  /** Of this server, where clients reach it. */
  publicUrl: string;
  /** The path of the proxy, which the program does not see. */
  base: string;
  /** Path and query as the program gets them. */
  path: string;
  /** The Host header of the client. */
  host: string | undefined;
}

/** Names and values in turn, as Node takes them. */
export function requestHead(
  { rawHeaders, body, isUpgrade, client }: SentHead,
  { address, secret }: Pick<WebServer, 'address' | 'secret'>,
  isKept: boolean,
): string[] {
  const named = connectionNames(rawHeaders);
  const head: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const folded = name.toLowerCase();
    // Those of the body and of the upgrade are set below, so a client cannot have them dropped by naming them.
    if (DROPPED_REQUEST.has(folded) || named.has(folded)) continue;
    head.push(name, rawHeaders[index + 1]!);
  }
  const { protocol, host } = publicParts(client.publicUrl);
  head.push(
    'host',
    `127.0.0.1:${'port' in address ? address.port : 80}`,
    'x-forwarded-for',
    client.address,
    'x-forwarded-host',
    host,
    'x-forwarded-proto',
    protocol,
    'x-forwarded-prefix',
    client.base,
    SECRET_HEADER,
    secret,
  );
  if (typeof body === 'number') head.push('content-length', String(body));
  if (body === 'chunked') head.push('transfer-encoding', 'chunked');
  if (isUpgrade) head.push('connection', 'Upgrade', 'upgrade', 'websocket');
  else head.push('connection', isKept ? 'keep-alive' : 'close');
  return head;
}

let latest: { url: string; protocol: string; host: string } | undefined;

/** The same for every request. */
function publicParts(url: string): { protocol: string; host: string } {
  if (latest?.url === url) return latest;
  const { protocol, host } = new URL(url);
  latest = { url, protocol: protocol.slice(0, -1), host };
  return latest;
}

/** Node has refused requests with both, and lengths that are no numbers. */
export function bodyOf(headers: Record<string, string | string[] | undefined>): SentHead['body'] {
  if (headers['transfer-encoding'] !== undefined) return 'chunked';
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

export { HOP_BY_HOP };

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

interface ProgramReply {
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
