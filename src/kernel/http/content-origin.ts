// The origin that content of users is served from, where the operator has given it one: which requests are for it, what it serves, and links to it. ADR 0192.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../failure.ts';
import type { Caller, Credential, SessionIdentity } from '../identity/caller.ts';
import { SESSION_HEADER } from '../identity/sessions/session-caller.ts';
import { readContentLink, signContentLink } from '../identity/sessions/content-link.ts';
import { linkTarget, signSessionLink, type SessionLink } from '../identity/sessions/session-link.ts';
import type { Kernel } from '../kernel.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { ByPrefix } from './prefixes.ts';
import { publicPathOf, withoutPublicPath } from './public-path.ts';

interface Asked {
  method: string;
  url: string;
}

interface ContentOriginParts {
  secrets: SecretBox;
  /** Whose pages may frame content. */
  publicUrl(): string;
}

export class ContentOrigin {
  /** Without a slash at the end. */
  readonly url: string;
  readonly #hosts: ReadonlySet<string>;
  readonly #parts: ContentOriginParts;
  readonly #apis = new ByPrefix<(asked: Asked) => boolean>();

  constructor(url: string, parts: ContentOriginParts) {
    const { host, hostname, port, protocol } = new URL(url);
    this.url = url;
    this.#hosts = new Set(port === '' ? [host, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host]);
    this.#parts = parts;
  }

  /** Says which requests below a prefix are answered with content. */
  add(prefix: string, isContent: (asked: Asked) => boolean): void {
    this.#apis.add(prefix, isContent);
  }

  serves(asked: Asked): boolean {
    return this.#apis.find(asked.url)?.(asked) === true;
  }

  /** By the Host header, which proxies have to pass on. */
  isAskedBy({ host }: IncomingHttpHeaders): boolean {
    return host !== undefined && this.#hosts.has(host.toLowerCase());
  }

  /** Before a request to this origin is routed: no session of the console is valid here, whatever the browser sends. */
  forgetSession(request: IncomingMessage): void {
    if (!this.isAskedBy(request.headers)) return;
    const { headers, rawHeaders } = request;
    for (const name of ['cookie', SESSION_HEADER]) {
      delete headers[name];
      for (let index = rawHeaders.length - 2; index >= 0; index -= 2)
        if (rawHeaders[index]!.toLowerCase() === name) rawHeaders.splice(index, 2);
    }
  }

  /** What every reply of this origin has, whatever makes it; and what none has. */
  seal({ headers }: IncomingMessage, response: ServerResponse): void {
    const policy = `frame-ancestors ${new URL(this.#parts.publicUrl()).origin}`;
    const isDownload = readContentLink(headers)?.isDownload === true;
    const writeHead = response.writeHead.bind(response) as (
      status: number,
      headers: string[],
    ) => ServerResponse;
    response.writeHead = (status: number, ...rest: unknown[]) => {
      const pairs = pairsOf(response, rest.at(-1));
      const sealed = pairs.filter((_, index) => !isNamed(pairs, index - (index % 2), 'set-cookie'));
      sealed.push('content-security-policy', policy);
      if (!hasName(sealed, 'referrer-policy')) sealed.push('referrer-policy', 'no-referrer');
      if (isDownload && status < 300 && !hasName(sealed, 'content-disposition'))
        sealed.push('content-disposition', 'attachment');
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      return writeHead(status, sealed);
    };
  }

  /** The session that a link to this origin speaks for. */
  credentialOf({ method, url, headers }: Asked & { headers: IncomingHttpHeaders }, now: number) {
    if (!this.isAskedBy(headers)) return undefined;
    const session = readContentLink(headers)?.verify(this.#parts.secrets, { method, url, now });
    return session === undefined
      ? undefined
      : ({ kind: 'sessionHash', secret: session } satisfies Credential);
  }

  /** Undefined for what is no content. With `isDownload` browsers save it: they ignore the wish of a page on another origin. */
  linkTo(session: SessionIdentity, target: string, now: number, isDownload = false): SessionLink | undefined {
    if (!this.serves({ method: 'GET', url: target })) return undefined;
    const link = signContentLink(this.#parts.secrets, session, { target, now, isDownload });
    return { ...link, url: this.url + link.url };
  }

  /**
   * Where a browser is sent that opens content at the origin of the console. Calls of programs are answered there, and so are
   * browsers whose session has not shown its second secret: what they may not see leads to a page that asks for a link.
   */
  redirectOf(call: {
    method: string;
    url: string;
    headers: IncomingHttpHeaders;
    now: number;
    caller: Caller | undefined;
    isSessionIncomplete: boolean;
  }): string | undefined {
    const { headers, url, now, caller } = call;
    if (call.isSessionIncomplete || !isNavigation(call) || this.isAskedBy(headers)) return undefined;
    if (caller?.kind === 'session') return this.linkTo(caller.session!, url, now)?.url;
    return url.startsWith('/') ? this.url + url : undefined;
  }
}

/**
 * For what a browser opens by itself, with the rights of the session: content on its own origin where there is one, and everything
 * else on this one. Undefined for what is no path of this server.
 */
export function signResourceLink(
  { secrets, publicUrl, contentOrigin }: Pick<Kernel, 'secrets' | 'publicUrl' | 'contentOrigin'>,
  session: SessionIdentity,
  { path, now, isDownload = false }: { path: string; now: number; isDownload?: boolean | undefined },
): SessionLink | undefined {
  const publicPath = publicPathOf(publicUrl);
  const target = linkTarget(withoutPublicPath(path, publicPath));
  if (target === undefined) return undefined;
  const elsewhere = contentOrigin?.linkTo(session, target, now, isDownload);
  if (elsewhere !== undefined) return elsewhere;
  const link = signSessionLink(secrets, session, target, now);
  return { ...link, url: publicPath + link.url };
}

const FRAMES = new Set(['document', 'iframe', 'frame', 'embed', 'object']);

/** Browsers say what a reply is for where the connection is encrypted or local; elsewhere they name HTML first. */
function isNavigation({ method, headers }: { method: string; headers: IncomingHttpHeaders }): boolean {
  if (method !== 'GET' || headers.authorization !== undefined || headers.upgrade !== undefined) return false;
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined) return FRAMES.has(destination);
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/.test(headers.accept ?? '');
}

/** Names and values in turn, from what `writeHead` was given and what was set before it. */
function pairsOf(response: ServerResponse, given: unknown): string[] {
  const own: string[] = Array.isArray(given)
    ? given.flat().map(String)
    : Object.entries((given ?? {}) as Record<string, unknown>).flatMap(([name, value]) => each(name, value));
  const before = Object.entries(response.getHeaders()).filter(([name]) => !hasName(own, name));
  return [...before.flatMap(([name, value]) => each(name, value)), ...own];
}

function each(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).flatMap((one) => [name, String(one)]);
}

function isNamed(pairs: readonly string[], index: number, name: string): boolean {
  return pairs[index]!.toLowerCase() === name;
}

function hasName(pairs: readonly string[], name: string): boolean {
  return pairs.some((_, index) => index % 2 === 0 && isNamed(pairs, index, name));
}

/** Cookies ignore ports and schemes, so that the two need host names of their own. */
export function checkContentUrl(contentUrl: string, publicUrl: string): void {
  const [content, console] = [new URL(contentUrl), new URL(publicUrl)];
  if (content.hostname === console.hostname)
    throw new Failure(
      'invalid',
      `--content-url (${contentUrl}) has the host name of the console (${publicUrl}), so that it keeps nothing apart: browsers send ` +
        `cookies to all ports of a host. Give it a name of its own, for example ${console.protocol}//content.${console.host}, or leave it out.`,
    );
  if (console.protocol === 'https:' && content.protocol !== 'https:')
    throw new Failure(
      'invalid',
      `--content-url (${contentUrl}) must begin with https:// as --public-url does: browsers show nothing unencrypted in an encrypted page.`,
    );
}
