// route(shape, handle): the declaration from which serving, checking, documenting and calling an endpoint are derived.
import type { Readable } from 'node:stream';
import type { Caller, KnownCaller } from './identity/caller.ts';
import type { Kernel } from './kernel.ts';
import type { Page } from './page.ts';
import type { Static, TObject, TSchema } from './schema.ts';

/** REPORT is a GET with a body. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'REPORT';

/**
 * Who may call. `anyone` needs no credential; `caller` needs one that is good; an action needs a permission, and the handler
 * must then say on which resource by `call.demand` or `call.can`: a change that was not asked for is not committed, and a
 * reply is not sent. Where what it takes depends on the body, as with patches, the action is a pattern such as `update*`,
 * and `others` are what else it may take: to view it, where nothing is to be changed. With `ofOwner` it is asked of who owns
 * what the call is about, and that itself says who else may. With `isOpen` those may be without a credential.
 */
export type RouteAccess =
  | 'anyone'
  | 'caller'
  | { action: string; others?: readonly string[]; ofOwner?: true; isOpen?: true };

/** As callers are told of it before they know what the call is about. */
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
  /** Below the API's prefix, parameters in braces: `/users/{username}`. Those named `secret` and `context` are not logged. */
  path: string;
  summary: string;
  description?: string;
  access: RouteAccess;
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  /** Other content types of the body than plain JSON, for the description; the handler reads them. */
  consumes?: Record<string, TSchema>;
  /** A call without a body is good too. */
  bodyIsOptional?: true;
  /** The body is not read for the handler: it takes the bytes as they come, from `call.stream`. */
  streams?: true;
  /** The body of each good status; null where there is none. The first is the usual one. */
  reply?: Record<number, TSchema | null>;
  /** For a list: the schema of one item. The dialect decides what a page of them looks like. */
  list?: TSchema;
  /** It carries data or only asks, and changes no configuration: a call that succeeds is logged at level debug. */
  isData?: true;
  /** Which budget a call draws on, where it is not the API's usual one. */
  limit?: string;
  /** When it draws: at once, one for each call; later, as much as the handler says by `call.spend`; or never. */
  charge?: 'later' | 'never';
  /** The content type of good replies, where it is not JSON. */
  produces?: string;
  /** How long caches may keep a reply: the API's usual time, or not at all. */
  cache?: 'never';
  /** The version in which the route appeared, and the one in which it is gone. */
  since?: string;
  until?: string;
}

type StaticOr<S, Fallback> = S extends TSchema ? Static<S> : Fallback;

export interface Call<S extends RouteShape = RouteShape> {
  /** Unique per call; stands in its error body and its log line. */
  readonly id: string;
  readonly now: number;
  readonly version: string;
  readonly caller: S['access'] extends 'anyone' | { isOpen: true } ? Caller : KnownCaller;
  readonly params: StaticOr<S['params'], Record<string, never>>;
  readonly query: StaticOr<S['query'], Record<string, never>>;
  readonly body: StaticOr<S['body'], undefined> | (S['bodyIsOptional'] extends true ? undefined : never);
  /** As asked for: the handler of GET answers HEAD too. */
  readonly method: string;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Where the call comes from; of a trusted proxy's calls, where those come from. */
  readonly address: string;
  /** The body as it comes, still in its content encoding; only on routes that stream. */
  readonly stream: Readable;
  /** The path and query as asked for. */
  readonly url: string;
  /** Where clients reach this API: scheme, host and the prefix they used, without a slash at the end. */
  readonly base: string;
  /** Throws unless the caller may do this on the resource: the route's action, or one that its body asks for. */
  demand(resource: string, action?: string): void;
  /** Whether the caller may do the same; for lists. */
  can(resource: string, action?: string): boolean;
  /** Draws on the route's budget as the headers of the reply will tell. False when it has too little left. */
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

/** A body that is there as JSON already, and goes into the envelope of the API as it is. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** A body of any type that is there as a whole. */
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

/** A body that is made while it is sent, at the pace of whoever reads it. It is given up when the reader goes away. */
export class Stream {
  readonly source: AsyncIterable<Uint8Array | string>;
  readonly headers: Record<string, string>;
  readonly status: number;

  constructor(source: AsyncIterable<Uint8Array | string>, headers: Record<string, string>, status = 200) {
    this.source = source;
    this.headers = headers;
    this.status = status;
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
  | Text
  | JsonText;

/** A call as it came, before its parts are checked. */
export interface RawCall extends Pick<Call, 'now' | 'can'> {
  readonly caller: Caller;
  readonly params: Record<string, string>;
  readonly query: Record<string, string | string[] | undefined>;
}

/** What `route` checks of a handler's result is forgotten here, so that routes of all shapes fit into one list. */
export interface Route<S extends RouteShape = RouteShape> {
  readonly shape: S;
  handle(call: Call<S>, kernel: Kernel): unknown;
  /**
   * Asked where the path, query or body is wrong, before the caller is told so. Throws for those who may not know what the
   * call is about: only the handler would find out otherwise, and a call that is wrong does not get there.
   */
  authorize?(call: RawCall, kernel: Kernel): Promise<void>;
}

export function route<const S extends RouteShape>(
  shape: S,
  handle: (call: Call<S>, kernel: Kernel) => HandlerResult<S> | Promise<HandlerResult<S>>,
  authorize?: NonNullable<Route['authorize']>,
): Route<S> {
  return { shape, handle, ...(authorize && { authorize }) };
}

/** The status of a plain reply: the first one declared. */
export function defaultStatus({ reply: replies }: RouteShape): number {
  return replies === undefined ? 200 : Number(Object.keys(replies)[0]);
}
