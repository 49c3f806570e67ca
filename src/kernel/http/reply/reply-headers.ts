// The headers of replies in one API: those of a route's version, of CORS, of rate limits, and of the reply itself.
import type { Cors, ApiProtocol, Headers } from '../protocol.ts';
import type { RequestContext } from '../request-context.ts';
import type { Kernel } from '../../kernel.ts';
import type { ReplyHead } from './reply-head.ts';
import type { RouteShape } from '../route.ts';
import type { RouteVersion } from '../route-version.ts';

export type AskedVersion = Pick<RequestContext, 'version' | 'variant'>;

export class ReplyHeaders {
  readonly #protocol: ApiProtocol;
  readonly #kernel: Kernel;

  constructor(protocol: ApiProtocol, kernel: Kernel) {
    this.#protocol = protocol;
    this.#kernel = kernel;
  }

  /** All headers of a reply. */
  list(call: RequestContext, fixed: HeaderBlock, own: Headers): HeaderList {
    const { cors, limits, callHeaders, namedVersionHeaders } = this.#protocol;
    const { origin } = call.headers;
    const headers = new HeaderList(fixed);
    headers.set('access-control-allow-origin', origin !== undefined && cors.origin === 'echo' ? origin : '*');
    if (origin !== undefined && cors.exposeHeaders !== undefined) {
      headers.set('access-control-expose-headers', cors.exposeHeaders);
    }
    if (call.counters.length > 0) headers.setAll(limits.headers(call.counters, call.now));
    if (callHeaders !== undefined) headers.setAll(callHeaders(call));
    const ofVersion = namedVersionHeaders?.(call);
    if (ofVersion !== undefined) headers.setAll(ofVersion);
    headers.setAll(own);
    return headers;
  }

  /** Those that are the same in every reply of a route in one version. */
  fixed({ version, variant }: AskedVersion, shape: RouteShape | undefined): HeaderBlock {
    const { headers, versionHeaders, cors } = this.#protocol;
    return new HeaderBlock({
      ...headers,
      ...versionHeaders(version, shape, this.#kernel.publicUrl, variant),
      ...(cors.everywhere && corsLists(cors)),
      ...(shape?.cache === 'never' && { 'cache-control': 'no-cache' }),
    });
  }
}

function corsLists({ allowHeaders, allowMethods, maxAge }: Cors): Headers {
  return {
    'access-control-allow-headers': allowHeaders,
    'access-control-allow-methods': allowMethods,
    'access-control-max-age': String(maxAge),
  };
}

/** The lists of a preflight, with what the API has added where it asks for more than they hold. */
export function preflightLists(cors: Cors, asked: RequestContext['headers']): Headers {
  const { added, allowHeaders, allowMethods } = cors;
  if (added === undefined || !asksBeyond(cors, asked)) return corsLists(cors);
  return corsLists({
    ...cors,
    allowHeaders: `${allowHeaders}, ${added.headers}`,
    allowMethods: `${allowMethods}, ${added.methods}`,
  });
}

function asksBeyond({ allowHeaders, allowMethods }: Cors, asked: RequestContext['headers']): boolean {
  const [methods, names] = [wordsOf(allowMethods), wordsOf(allowHeaders)];
  const isBeyond = (name: string, listed: readonly string[]) =>
    wordsOf(String(asked[name] ?? '')).some((word) => !listed.includes(word));
  return (
    isBeyond('access-control-request-method', methods) || isBeyond('access-control-request-headers', names)
  );
}

function wordsOf(list: string): string[] {
  return list
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** The status and the headers of a reply as callers of the version know them. */
export function replyHeadOf(
  { downgradeHead, usage, headers }: RouteVersion,
  newest: ReplyHead,
  call: RequestContext,
): ReplyHead {
  const joined = joinLinks(headers, newest);
  if (downgradeHead === undefined) return joined;
  if (usage !== undefined) call.effects |= usage.noticeHead(joined, headers.headers['content-type']);
  return downgradeHead(joined);
}

/** A reply's own Link goes before the one that warns of a newer version, whatever makes the reply. */
function joinLinks({ headers: { link: fixed } }: HeaderBlock, newest: ReplyHead): ReplyHead {
  const { status, headers } = newest;
  return fixed === undefined || headers['link'] === undefined
    ? newest
    : { status, headers: { ...headers, link: `${headers['link']}, ${fixed}` } };
}

/** No header may hold them: a line break in a value would begin a header of its own. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;
/** About the connection or the form of the body, which Node decides. */
const OF_NODE = new Set(['connection', 'date', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade']);

function isPlain(name: string, value: string): boolean {
  return !OF_NODE.has(name) && !FORBIDDEN.test(value);
}

function lineOf(name: string, value: string): string {
  return `${name}: ${value}\r\n`;
}

/** Headers that many replies begin with. Names are in lower case. */
export class HeaderBlock {
  readonly headers: Headers;
  readonly pairs: readonly string[];
  /** Where the values stand in `pairs`. */
  readonly places: ReadonlyMap<string, number>;
  readonly text: string;
  readonly isPlain: boolean;

  constructor(headers: Headers) {
    const entries = Object.entries(headers);
    this.headers = headers;
    this.pairs = entries.flat();
    this.places = new Map(Object.keys(headers).map((name, index) => [name, index * 2 + 1]));
    this.text = entries.map(([name, value]) => lineOf(name, value)).join('');
    this.isPlain = entries.every(([name, value]) => isPlain(name, value));
  }
}

/** A flat list of names and values. What never changes for a route is prepared once, as a block, and copied. */
export class HeaderList {
  /** As `writeHead` takes them: a list costs Node less than an object. */
  readonly pairs: string[];
  readonly #block: HeaderBlock;
  #isBlockWhole = true;
  /** Whether Node would send them as they are. */
  isPlain: boolean;

  constructor(block: HeaderBlock) {
    this.#block = block;
    this.pairs = block.pairs.slice();
    this.isPlain = block.isPlain;
  }

  /** Replaces the header of that name where there is one. */
  set(name: string, value: string): void {
    const { pairs } = this;
    this.isPlain &&= isPlain(name, value);
    const place = this.#block.places.get(name);
    if (place !== undefined) {
      this.#isBlockWhole &&= pairs[place] === value;
      pairs[place] = value;
      return;
    }
    for (let index = this.#block.pairs.length; index < pairs.length; index += 2) {
      if (pairs[index] === name) {
        pairs[index + 1] = value;
        return;
      }
    }
    pairs.push(name, value);
  }

  text(): string {
    const { pairs } = this;
    let text = this.#isBlockWhole ? this.#block.text : '';
    for (let index = this.#isBlockWhole ? this.#block.pairs.length : 0; index < pairs.length; index += 2) {
      text += lineOf(pairs[index]!, pairs[index + 1]!);
    }
    return text;
  }

  /** Each is a header of its own. */
  #setCookies(lines: string): void {
    for (const cookie of lines.split('\n')) {
      this.isPlain &&= isPlain('set-cookie', cookie);
      this.pairs.push('set-cookie', cookie);
    }
  }

  setAll(headers: Headers): void {
    for (const name in headers) {
      if (name === 'set-cookie') this.#setCookies(headers[name]!);
      else this.set(name, headers[name]!);
    }
  }
}
