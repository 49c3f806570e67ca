// Addresses of this server around a session: where the login leads back to, which is never another site, and signed links to one resource, for what a browser opens by itself and can send no header with.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { SessionIdentity } from '../caller.ts';

const PURPOSE = 'session links';
export const LINK_MS = 60_000;
export const LINK_PARAMETER = 'signalbox_link';
export const LINK_HEADER = 'x-signalbox-link';
const SIGNED = new RegExp(`[?&]${LINK_PARAMETER}=([\\w.-]*)$`);

/** A request with the cookie of a session. */
export interface SessionRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  now: number;
}

export interface SessionLink {
  /** Path and query. */
  url: string;
  expiresAt: number;
}

/** As browsers write it. Undefined for what is no path of this server. */
export function linkTarget(path: string): string | undefined {
  if (!isLocalPath(path)) return undefined;
  const { pathname, search } = new URL(path, 'http://signalbox.invalid');
  return pathname + search;
}

/** For reading only, and together with the cookie of the session. */
export function signSessionLink(
  secrets: SecretBox,
  { hash }: SessionIdentity,
  target: string,
  now: number,
): SessionLink {
  const expiresAt = now + LINK_MS;
  const expiry = expiresAt.toString(36);
  const signature = secrets.sign(PURPOSE, signedText(hash, target, expiry));
  const joint = target.includes('?') ? '&' : '?';
  return { url: `${target}${joint}${LINK_PARAMETER}=${expiry}.${signature}`, expiresAt };
}

/**
 * Moves the signature from the end of the query into a header, so that no route and no program sees it. Other nodes get the
 * header with a request that is passed on to them.
 */
export function takeSessionLink(request: IncomingMessage): void {
  const { url = '/' } = request;
  const found = url.includes(LINK_PARAMETER) ? SIGNED.exec(url) : null;
  if (found === null) return;
  request.url = url.slice(0, found.index);
  request.headers[LINK_HEADER] = found[1]!;
  request.rawHeaders.push(LINK_HEADER, found[1]!);
}

export function isSessionLink(
  { method, url, headers, now }: SessionRequest,
  { hash }: SessionIdentity,
  secrets: SecretBox,
): boolean {
  const link = headers[LINK_HEADER];
  if (typeof link !== 'string' || (method !== 'GET' && method !== 'HEAD')) return false;
  const [expiry = '', signature = ''] = link.split('.', 2);
  if (!(Number.parseInt(expiry, 36) > now)) return false;
  return secrets.verify(PURPOSE, signedText(hash, url, expiry), signature);
}

function signedText(session: string, target: string, expiry: string): string {
  return JSON.stringify([session, target, expiry]);
}

/** Pages have what they are about in their address. Proxies refuse longer ones. */
const MAX_LENGTH = 8000;

/** The login, which leads back to the page. */
export function loginPathFrom(path: string): string {
  return isLocalPath(path) ? `/session?${new URLSearchParams({ return: path }).toString()}` : '/session';
}

/** Browsers take `//name` and `/\name` for other sites, and drop tabs and line ends before they look. */
export function isLocalPath(path: string): boolean {
  return path.length <= MAX_LENGTH && /^\/(?!\/)[!-[\]-~]*$/.test(path);
}
