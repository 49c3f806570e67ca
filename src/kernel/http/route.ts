// route(shape, handle): the declaration from which serving, checking, documenting and calling an endpoint are derived.
import type { Readable } from 'node:stream';
import type { Caller, KnownCaller } from '../identity/caller.ts';
import type { Kernel } from '../kernel.ts';
import type { Page } from './reply/page.ts';
import { restOf } from './path-template.ts';
import type { Static, TObject, TSchema } from '../schema/schema.ts';

/** REPORT is a GET with a body. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'REPORT'] as const;
export type Method = (typeof METHODS)[number];

/**
 * Who may call. `anyone` needs no credential; `caller` needs a valid one; an action needs a permission, and the handler
 * must check it on a resource by `call.requirePermission` or `call.can`: without that check no change is committed and no reply is
 * sent. Where the permission depends on the body, as with patches, the action is a pattern such as `update*`, and `others`
 * are further actions that may be checked instead. With `ofOwner` the permission is needed by the owner of the resource
 * only, and the resource itself decides who else may use it; with `isOpen` that includes callers without a credential.
 */
export type RouteAccess =
  | 'anyone'
  | 'caller'
  | { action: string; others?: readonly string[]; ofOwner?: true; isOpen?: true };

/** The access that is needed for every resource of the route, even by callers who do not own it. */
export function publicAccess({ access }: Pick<RouteShape, 'access'>): RouteAccess {
  if (typeof access !== 'object' || access.ofOwner !== true) return access;
  return access.isOpen === true ? 'anyone' : 'caller';
}

/** Whether a call needs no credential. */
export function isOpen(shape: Pick<RouteShape, 'access'>): boolean {
  return publicAccess(shape) === 'anyone';
}

export interface RouteShape {
  /** The operation's name in the description, unique within its API. */
  id: string;
  method: Method;
  /**
   * Below the API's prefix, parameters in braces: `/users/{username}`. Those named `secret` and `context` are not logged.
   * The last may be `{path...}`, which stands for the rest of the path with its slashes, or for nothing.
   */
  path: string;
  /**
   * Further places of the same operation, for callers who know it by another method or path. Each is described as an operation
   * that says whose alias it is. Their paths have the same parameters, and may have more.
   */
  aliases?: readonly RouteAlias[];
  summary: string;
  description?: string;
  access: RouteAccess;
  params?: TObject;
  query?: TObject;
  /** The headers that the handler reads, for the description. */
  headers?: TObject;
  body?: TSchema;
  /** The bodies by content type, for the description, where `body` does not describe them; made when it is asked for. */
  consumes?: () => Record<string, TSchema>;
  /** The maximum number of keys in all objects of a body, where it is not the API's. */
  bodyKeys?: number;
  /** The maximum size of a body, where it is larger than the API's. */
  bodyBytes?: number;
  /** A base64 text of the body that may be larger than a body. */
  largeField?: LargeField;
  /** The body may be left out. */
  bodyIsOptional?: true;
  /** The handler reads the body itself, from `call.stream`. */
  streams?: true;
  /** The body of each success status; null where there is none. The first is the default. */
  reply?: Record<number, TSchema | null>;
  /** For a list: the schema of one item. The protocol decides what a page of them looks like. */
  list?: TSchema;
  /** It works while the disk is full, though it is no GET or DELETE: it stores nothing, or it makes room. */
  worksOnFullDisk?: true;
  /** It changes no configuration, so a successful call is logged at level debug only. */
  isData?: true;
  /** It creates something, though it answers 202 and not 201. */
  createsLater?: true;
  /** The category of the rate limit, where it is not the API's default. */
  limit?: string;
  /** When the call is counted: absent, at once and as one; `later`, as much as the handler says by `call.spend`; or never. */
  charge?: 'later' | 'never';
  /** The content type of success replies, where it is not JSON. */
  produces?: string;
  /** It answers with what users have stored, which is served from an origin of its own where there is one. */
  isContent?: true;
  /** Further content types that a call may ask for. */
  accepts?: readonly string[];
  /**
   * Replies are kept until rows change that they were made from. Only for a GET whose reply follows from the caller, the address,
   * the headers Accept and of versions, and what the handler reads by `kernel.db`, and whose handler has no effects.
   */
  isKept?: true;
  /** Whether caches may store a reply; absent, as the API does by default. */
  cache?: 'never';
  /** The id of the route whose handler this is, at another path: its examples and tests are those of that route. */
  aliasOf?: string;
  /** The first version that has the route, and the first that has it no longer. */
  since?: string;
  until?: string;
}

/**
 * A member of a JSON body whose text in base64 may be larger than the API's bodies. Then its bytes are passed on as they arrive, the
 * handler finds it empty, and what became of it in `call.received`.
 */
export interface LargeField {
  name: string;
  /** Of what the text stands for. */
  maxBytes: number;
  /** Before the rest of the body is checked: what is needed to write must be asked for here. */
  receive(
    call: Pick<Call, 'address' | 'can' | 'now' | 'params' | 'signal' | 'url'> & { caller: Caller },
    kernel: Kernel,
    bytes: AsyncGenerator<Buffer, void>,
  ): Promise<unknown>;
}

/** What is absent is as in the route itself. */
export interface RouteAlias {
  /** Its operation's name in the description; absent, the route's with a number. */
  id?: string;
  method?: Method;
  path?: string;
}

type StaticOr<S, Fallback> = S extends TSchema ? Static<S> : Fallback;

export interface Call<S extends RouteShape = RouteShape> {
  /** Unique per call; it is in the error body and the log line. */
  readonly id: string;
  readonly now: number;
  readonly version: string;
  readonly caller: S['access'] extends 'anyone' | { isOpen: true } ? Caller : KnownCaller;
  readonly params: StaticOr<S['params'], Record<string, never>>;
  readonly query: StaticOr<S['query'], Record<string, never>>;
  readonly body: StaticOr<S['body'], undefined> | (S['bodyIsOptional'] extends true ? undefined : never);
  /** As sent: the handler of GET answers HEAD too. */
  readonly method: string;
  readonly headers: Record<string, string | string[] | undefined>;
  /** The client's address; behind a trusted proxy, the one that the proxy names. */
  readonly address: string;
  /** The raw body, still in its content encoding; only on routes with `streams`. */
  readonly stream: Readable;
  /** What has become of the route's `largeField`, where the body was larger than others may be. */
  readonly received?: unknown;
  /** The path and query as sent. */
  readonly url: string;
  /** Where clients reach this API: scheme, host and the prefix they used, without a slash at the end. */
  readonly base: string;
  /** Fires when the client goes away: what only reads for the call may end then. */
  readonly signal: AbortSignal;
  /** Throws unless the caller has the permission on the resource; the action is the route's unless given. */
  requirePermission(resource: string, action?: string): void;
  /** Whether the caller has the permission; for filtering lists. */
  can(resource: string, action?: string): boolean;
  /** Counts against the route's rate limit. False when too little is left. */
  spend(cost: number): Promise<boolean>;
}

export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function reply(status: number, body?: unknown, headers?: Record<string, string>): Reply {
  return new Reply(status, body, headers);
}

/** Text that is not JSON, sent as it is. */
export class Text {
  readonly type: string;
  readonly text: string;

  constructor(type: string, text: string) {
    this.type = type;
    this.text = text;
  }
}

/** A body that is already JSON text; it is put into the API's envelope unchanged. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** A complete body of any content type. */
export class Bytes {
  readonly bytes: Uint8Array;
  readonly headers: Record<string, string>;
  readonly status: number;

  constructor(bytes: Uint8Array, headers: Record<string, string>, status = 200) {
    this.bytes = bytes;
    this.headers = headers;
    this.status = status;
  }
}

/** A body that is produced while it is sent, with backpressure. It is cancelled when the client disconnects. */
export class Stream {
  readonly source: AsyncIterable<Uint8Array | string>;
  readonly headers: Record<string, string>;
  readonly status: number;
  /** The first bytes may come late: the head is sent before them. */
  readonly isLive: boolean;

  constructor(
    source: AsyncIterable<Uint8Array | string>,
    headers: Record<string, string>,
    status = 200,
    isLive = false,
  ) {
    this.source = source;
    this.headers = headers;
    this.status = status;
    this.isLive = isLive;
  }
}

/** The connection of a reply that stays open; Node's response is one. */
export interface StreamConnection {
  write(chunk: Uint8Array | string): boolean;
  cork(): void;
  uncork(): void;
  end(): unknown;
  destroy(): unknown;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  /** The bytes that are not sent yet. */
  readonly writableLength: number;
  /** Whether `drain` follows when they are. */
  readonly writableNeedDrain: boolean;
  readonly socket: { readonly bytesWritten: number } | null;
}

/** Server-sent events: `open` gets the connection when the head is sent, and writes to it from then on. */
export class EventStream {
  readonly open: (connection: StreamConnection) => void;
  readonly headers: Record<string, string>;

  constructor(open: (connection: StreamConnection) => void, headers: Record<string, string> = {}) {
    this.open = open;
    this.headers = headers;
  }
}

type GoodBody<S extends RouteShape> =
  S['reply'] extends Record<number, TSchema | null>
    ? StaticOr<S['reply'][keyof S['reply']], undefined>
    : never;

export type HandlerResult<S extends RouteShape> =
  | GoodBody<S>
  | Page
  | Reply
  | Bytes
  | Stream
  | EventStream
  | Text
  | JsonText;

/** A call before its path and query are validated. */
export interface RawCall extends Pick<Call, 'now' | 'can' | 'headers' | 'url'> {
  readonly caller: Caller;
  readonly params: Record<string, string>;
  readonly query: Record<string, string | string[] | undefined>;
}

/** `route` checks the type of a handler's result; here it is `unknown`, so that all routes fit into one list. */
export interface Route<S extends RouteShape = RouteShape> {
  readonly shape: S;
  handle(call: Call<S>, kernel: Kernel): unknown;
  /**
   * Called before a validation error is sent. Throws for callers who may not know of the resource: otherwise only the
   * handler would check that, and an invalid call does not reach the handler.
   */
  authorize?(call: RawCall, kernel: Kernel): Promise<void>;
}

export function route<const S extends RouteShape>(
  shape: S,
  handle: (call: Call<S>, kernel: Kernel) => HandlerResult<S> | Promise<HandlerResult<S>>,
  authorize?: NonNullable<Route['authorize']>,
): Route<S> {
  if (/\{(?:secret|context)\}/.test(shape.path) && restOf(shape.path) !== undefined)
    throw new Error(
      `The secret in the path of ${shape.id} would be logged: its last parameter has any length`,
    );
  return { shape, handle, ...(authorize && { authorize }) };
}

/** The status of a plain reply: the first one declared. */
export function defaultStatus({ reply: replies }: RouteShape): number {
  return replies === undefined ? 200 : Number(Object.keys(replies)[0]);
}
