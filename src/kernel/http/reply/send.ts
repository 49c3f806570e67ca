// Sends replies: the body in the caller's version and the API's envelope, headers, conditional requests, errors. ADR 0013.
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { readableFrom } from '../../network/streams.ts';
import { describeCall, finishCall, refund, settle } from '../finish-call.ts';
import type { ApiProtocol, Headers } from '../protocol.ts';
import type { RequestContext } from '../request-context.ts';
import { routeInVersion, type RouteVersion } from '../route-version.ts';
import { isNotModified, matchesEtag } from './etag.ts';
import { locationOf, sentenceOf, type Failure } from '../../failure.ts';
import {
  HeaderBlock,
  type HeaderList,
  preflightLists,
  replyHeadOf,
  ReplyHeaders,
  type AskedVersion,
} from './reply-headers.ts';
import { jsonOf } from '../../json/json-once.ts';
import { isSlowToWrite, stringifyLarge } from '../../json/stringify.ts';
import type { Kernel } from '../../kernel.ts';
import type { ReadyReply } from './kept-replies.ts';
import { Page } from './page.ts';
import { writeHead } from './write-head.ts';
import { placeAddress, placePage, placingLinks, publicPathOf, type JsonReplacer } from '../public-path.ts';
import { isBodyless } from './reply-head.ts';
import { Bytes, EventStream, JsonText, Reply, Stream, Text, type RouteShape } from '../route.ts';
import { resourceShell } from '../pages/session-pages.ts';

/** For a call that may succeed later. */
export const RETRY_SECONDS = '10';

/** After this time without data, the system asks whether the other end of a stream is still there. */
const KEEP_ALIVE_MS = 60_000;

/** Longer bodies are sent as they are. */
const MAX_COPIED = 16 * 1024;

/** An error as it is sent; Content-Length is added later. */
export interface ErrorReply {
  status: number;
  headers: HeaderList;
  body: string;
}

export class ReplySender {
  readonly #protocol: ApiProtocol;
  readonly #kernel: Kernel;
  readonly #headers: ReplyHeaders;
  readonly #routeVersions = new Map<RouteShape, Map<string, RouteVersion>>();
  /** The headers of calls that have no route, such as preflights and those of unknown paths, by version. */
  readonly #withoutRoute = new Map<string, HeaderBlock>();
  /** The text of the envelope before and after the JSON of a body. */
  readonly #envelope: readonly [before: string, after: string];
  readonly #publicPath: string;
  readonly #replacer: JsonReplacer | undefined;

  constructor(protocol: ApiProtocol, kernel: Kernel) {
    this.#protocol = protocol;
    this.#kernel = kernel;
    this.#headers = new ReplyHeaders(protocol, kernel);
    this.#publicPath = publicPathOf(kernel.publicUrl);
    this.#replacer = placingLinks(this.#publicPath);
    const [before = '', after = ''] = JSON.stringify(protocol.wrap?.body(0) ?? 0).split('0');
    this.#envelope = [before, after];
  }

  /** The route in one version; built at its first use. */
  routeVersion(shape: RouteShape, { version, variant }: AskedVersion): RouteVersion {
    let versions = this.#routeVersions.get(shape);
    if (versions === undefined) this.#routeVersions.set(shape, (versions = new Map()));
    const key = versionKey({ version, variant });
    let known = versions.get(key);
    if (known === undefined) {
      const headers = this.#headers.fixed({ version, variant }, shape);
      const usage = this.#kernel.versionUsage.of(this.#protocol, shape, { version, variant });
      const protocol = usage === undefined ? this.#protocol : { ...this.#protocol, versions: usage.table };
      known = routeInVersion(shape, version, protocol, headers, variant);
      if (usage !== undefined) known.usage = usage;
      versions.set(key, known);
    }
    return known;
  }

  /** Sends what a handler returned. A large body is serialized in slices, asynchronously. */
  result(
    reply: FastifyReply,
    call: RequestContext,
    shape: RouteShape,
    result: unknown,
    keep?: (ready: ReadyReply) => void,
  ): void | Promise<void> {
    const routeVersion = this.routeVersion(shape, call);
    if (result instanceof Text) {
      return this.#good(
        reply,
        call,
        routeVersion,
        new Reply(200, result.text, { 'content-type': result.type }),
      );
    }
    if (result instanceof Bytes) {
      return this.#bytes(reply, call, routeVersion, result);
    }
    if (result instanceof Stream) return this.#stream(reply, call, routeVersion, result);
    if (result instanceof EventStream) return this.#eventStream(reply, call, routeVersion, result);
    const { status, body, headers } =
      result instanceof Reply ? result : new Reply(routeVersion.status, result);
    const { usage } = routeVersion;
    if (usage !== undefined) usage.noticed = 0;
    let whole = body;
    let own = headers;
    if (body instanceof Page) {
      const page = routeVersion.downgradeItem === undefined ? body : body.map(routeVersion.downgradeItem);
      const rendered = this.#protocol.page.render(page, call);
      whole = rendered.body;
      own = { ...headers, ...rendered.headers };
    } else if (body !== undefined && routeVersion.downgrade[status] !== undefined) {
      whole = routeVersion.downgrade[status](body);
    }
    if (usage !== undefined) call.effects |= usage.noticed;
    const send = (text: string | Uint8Array | undefined) =>
      this.#good(reply, call, routeVersion, new Reply(status, text, own), keep);
    const known =
      this.#protocol.wrap === undefined && this.#replacer === undefined ? jsonOf(whole) : undefined;
    if (known !== undefined) return send(known);
    if (!(whole instanceof JsonText) && isSlowToWrite(whole)) return this.#toBytes(whole).then(send);
    return send(whole === undefined ? undefined : this.#toText(whole));
  }

  /** Sends a reply that was kept. */
  ready(reply: FastifyReply, call: RequestContext, shape: RouteShape, ready: ReadyReply): void {
    call.effects |= ready.effects;
    this.#unlessKnown(reply, call, this.routeVersion(shape, call), ready);
  }

  /** `allow` is undefined where there is no route. */
  preflight(reply: FastifyReply, call: RequestContext, allow: string | undefined): void {
    const own = {
      ...(allow !== undefined && { allow }),
      ...preflightLists(this.#protocol.cors, call.headers),
    };
    this.#put(reply, call, 204, this.#fixedOf(call), own);
  }

  /** For this browser, at this moment: no cache may store it. */
  elsewhere(reply: FastifyReply, call: RequestContext, location: string): void {
    this.#put(reply, call, 302, this.#fixedOf(call), { location, 'cache-control': 'no-store' });
  }

  failure(reply: FastifyReply, call: RequestContext, failure: Failure, cause: unknown): void {
    const { status, headers, body } = this.renderError(call, failure, cause);
    put(reply, status, headers, body);
    finishCall(call, status, this.#protocol, this.#kernel);
  }

  /** Logs the failure, with its cause where it is the server's fault, and renders it in the protocol's format. */
  renderError(call: RequestContext, failure: Failure, cause: unknown): ErrorReply {
    const { kind, message, details } = failure;
    const protocol = this.#protocol;
    const status = protocol.statusOf?.(failure, call) ?? protocol.status[kind];
    const { log } = this.#kernel;
    const line = () => ({ ...describeCall(call, protocol.name, status), failure: kind });
    call.hasFailed = true;
    if (kind === 'internal' || kind === 'unavailable')
      log.error({ ...line(), err: cause }, sentenceOf(message));
    else if (log.isLevelEnabled('info')) log.info(line(), sentenceOf(message));
    settle(call, this.#kernel);
    const shell = call.isSessionIncomplete ? resourceShell(call) : undefined;
    const body = shell
      ? placePage(shell.body, this.#publicPath)
      : JSON.stringify(protocol.renderError(failure, call));
    // An error may be gone with the next call, so no cache may store it.
    const location = locationOf(failure, call.base);
    const own = {
      'cache-control': 'no-store',
      ...(protocol.errorType !== undefined && { 'content-type': protocol.errorType }),
      ...(kind === 'unavailable' && { 'retry-after': RETRY_SECONDS }),
      ...(location !== undefined && { location }),
      ...details.headers,
      ...shell?.headers,
    };
    const headers = this.#headers.list(call, this.#fixedOf(call), own);
    return { status, headers, body };
  }

  /** Without a version where the call asked for one that is not available. */
  #fixedOf(call: RequestContext): HeaderBlock {
    if (call.isVersionRefused) return new HeaderBlock(this.#protocol.headers);
    if (call.shape !== undefined) return this.routeVersion(call.shape, call).headers;
    const key = versionKey(call);
    let known = this.#withoutRoute.get(key);
    if (known === undefined) this.#withoutRoute.set(key, (known = this.#headers.fixed(call, undefined)));
    return known;
  }

  #toText(body: unknown): string {
    const { wrap } = this.#protocol;
    // Joining would copy the text.
    if (body instanceof JsonText) return wrap === undefined ? body.json : this.#envelope.join(body.json);
    return JSON.stringify(wrap === undefined ? body : wrap.body(body), this.#replacer);
  }

  async #toBytes(body: unknown): Promise<Uint8Array> {
    const { wrap } = this.#protocol;
    return await stringifyLarge(wrap === undefined ? body : wrap.body(body), this.#replacer);
  }

  #good(
    reply: FastifyReply,
    call: RequestContext,
    routeVersion: RouteVersion,
    newest: Reply,
    keep?: (ready: ReadyReply) => void,
  ): void {
    const { status, headers: given } = replyHeadOf(routeVersion, newest, call);
    const { location } = given;
    const headers =
      location === undefined ? given : { ...given, location: placeAddress(location, this.#publicPath) };
    const text = isBodyless(status) ? undefined : (newest.body as string | Uint8Array | undefined);
    const isRead = call.method === 'GET' || call.method === 'HEAD';
    // The handler compared the ETag itself, which spares it the reading of a file.
    if (status === 304 && this.#protocol.conditional) refund(call, this.#kernel);
    if (text === undefined || status !== 200 || !isRead) {
      return this.#put(reply, call, status, routeVersion.headers, headers, text);
    }
    const own = this.#protocol.conditional
      ? { ...headers, etag: headers['etag'] ?? routeVersion.etags.of(text) }
      : headers;
    const ready = { text, headers: own, effects: call.effects };
    keep?.(ready);
    return this.#unlessKnown(reply, call, routeVersion, ready);
  }

  /** Answers 304 to a caller who has it already, in protocols that do so. */
  #unlessKnown(
    reply: FastifyReply,
    call: RequestContext,
    routeVersion: RouteVersion,
    { text, headers }: ReadyReply,
  ): void {
    const { etag, 'last-modified': lastModified } = headers;
    const { conditional } = this.#protocol;
    if (!conditional || etag === undefined || !isNotModified(call.headers, etag, lastModified)) {
      return this.#put(reply, call, 200, routeVersion.headers, headers, text);
    }
    refund(call, this.#kernel);
    return this.#put(reply, call, 304, routeVersion.headers, headers);
  }

  /** Bytes with an ETag answer 304 also in protocols that send no ETags for JSON. */
  #bytes(reply: FastifyReply, call: RequestContext, routeVersion: RouteVersion, result: Bytes): void {
    const { status, headers } = replyHeadOf(routeVersion, result, call);
    const bytes = isBodyless(status) ? undefined : result.bytes;
    const { etag } = headers;
    if (status !== 200 || etag === undefined || !matchesEtag(call.headers['if-none-match'], etag)) {
      return this.#put(reply, call, status, routeVersion.headers, headers, bytes);
    }
    refund(call, this.#kernel);
    return this.#put(reply, call, 304, routeVersion.headers, headers);
  }

  #put(
    reply: FastifyReply,
    call: RequestContext,
    status: number,
    fixed: HeaderBlock,
    own: Headers,
    body?: string | Uint8Array,
  ): void {
    put(reply, status, this.#headers.list(call, fixed, own), body);
    finishCall(call, status, this.#protocol, this.#kernel);
  }

  /** Streams with backpressure. After the head is sent, an error can only be shown by closing the connection. */
  #stream(
    reply: FastifyReply,
    call: RequestContext,
    routeVersion: RouteVersion,
    { source, isLive, ...newest }: Stream,
  ): void {
    const { status, headers } = replyHeadOf(routeVersion, newest, call);
    reply.hijack();
    reply.raw.writeHead(status, this.#headers.list(call, routeVersion.headers, headers).pairs);
    const body = readableFrom(source);
    if (call.method === 'HEAD' || isBodyless(status)) {
      body.destroy();
      reply.raw.end();
      finishCall(call, status, this.#protocol, this.#kernel);
      return;
    }
    if (isLive) reply.raw.flushHeaders();
    const ended = pipeline(body, reply.raw).catch((error: unknown) => {
      const isGone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!isGone)
        this.#kernel.log.error(
          { ...describeCall(call, this.#protocol.name, status), err: error },
          'broke off a reply',
        );
      reply.raw.destroy();
    });
    void ended.then(() => finishCall(call, status, this.#protocol, this.#kernel));
  }

  /** The call is counted when the stream begins. */
  #eventStream(
    reply: FastifyReply,
    call: RequestContext,
    routeVersion: RouteVersion,
    { open, headers: given }: EventStream,
  ): void {
    const { raw } = reply;
    reply.hijack();
    const headers = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // Some proxies would wait for the end of the reply.
      'x-accel-buffering': 'no',
      ...given,
    };
    const { headers: own } = replyHeadOf(routeVersion, { status: 200, headers }, call);
    raw.writeHead(200, this.#headers.list(call, routeVersion.headers, own).pairs);
    if (call.method === 'HEAD') raw.end();
    else if (!raw.destroyed) {
      raw.flushHeaders();
      raw.socket?.setKeepAlive(true, KEEP_ALIVE_MS);
      open(raw);
    }
    finishCall(call, 200, this.#protocol, this.#kernel);
  }
}

function versionKey({ version, variant }: AskedVersion): string {
  return variant === undefined ? version : `${version} ${variant}`;
}

/** Straight to Node's response: what Fastify would add to the headers is not ours to send. */
function put(reply: FastifyReply, status: number, headers: HeaderList, body?: string | Uint8Array): void {
  reply.hijack();
  if (body === undefined) {
    // Without it Node would announce chunks, of which none comes. HEAD tells the length that GET has, where it is known.
    if (!isBodyless(status) && reply.raw.req.method !== 'HEAD') headers.set('content-length', '0');
    reply.raw.writeHead(status, headers.pairs).end();
    return;
  }
  const length = Buffer.byteLength(body);
  headers.set('content-length', String(length));
  writeHead(reply.raw, status, headers);
  if (typeof body !== 'string' && length <= MAX_COPIED) {
    // Node sends a text together with the head, and bytes apart from it, which costs more than to copy a few.
    reply.raw.end(Buffer.from(body.buffer, body.byteOffset, length).toString('latin1'), 'latin1');
    return;
  }
  // A text of as many bytes as characters is ASCII: copying it costs less than encoding it.
  reply.raw.end(body, length === body.length ? 'latin1' : 'utf8');
}
