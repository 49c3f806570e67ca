// The head of a request as the program behind the proxy gets it.
import { SESSION_HEADER } from '../../kernel/identity/sessions/page-secret.ts';
import { LINK_HEADER } from '../../kernel/identity/sessions/session-link.ts';
import type { WebServer } from '../runs/web-server.ts';
import { SECRET_HEADER } from '../runs/web-server.ts';

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

export interface SentHead {
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
export function publicParts(url: string): { protocol: string; host: string } {
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
