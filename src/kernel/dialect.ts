// What differs between the APIs, as data and small functions; the life of a request itself is written once, in serve.ts.
import type { Part } from './part.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { DueHandler } from './due-store.ts';
import type { Failure, FailureKind } from './failure.ts';
import type { Caller, Credential } from './identity/caller.ts';
import type { Allowance, Counter } from './limit-window.ts';
import type { MethodOverride, OverriddenMethod } from './method-override.ts';
import type { Page } from './page.ts';
import type { Method, Route, RouteShape } from './route.ts';
import type { TSchema } from './schema.ts';
import type { Db } from './storage/tables.ts';
import type { VersionTable } from './version.ts';

export type Headers = Record<string, string>;

/** What is known of a call from its first moment; more of it fills in as it goes through the stages. */
export interface CallFacts {
  id: string;
  now: number;
  /** The verb that is meant. */
  method: string;
  /** Where the caller sent another verb, or named one that cannot be meant. */
  overridden: OverriddenMethod | undefined;
  url: string;
  base: string;
  headers: IncomingHttpHeaders;
  address: string;
  /** The newest version until the caller's own is known. */
  version: string;
  /** The caller asked for one that does not answer. */
  isVersionRefused: boolean;
  caller: Caller | undefined;
  shape: RouteShape | undefined;
  /** The budgets the call draws on, by their full names. */
  categories: readonly string[];
  /** What is in them, once it was counted. */
  counters: CategoryCounter[];
  /** Whether it was answered with an error, which was logged then. */
  hasFailed: boolean;
}

export interface CategoryCounter {
  category: string;
  counter: Counter;
}

export interface Cors {
  /** `echo` answers with the caller's own origin, and `*` when it sent none. */
  origin: 'echo' | '*';
  allowHeaders: string;
  allowMethods: string;
  exposeHeaders?: string;
  maxAge: number;
  /** The lists stand on every reply, and a preflight is answered on every path, also where there is nothing. */
  everywhere?: true;
}

export interface LimitPlan {
  /** What the API gives where the settings say nothing else, by category. */
  allowances: Record<string, Allowance>;
  /** The budgets a route draws on. */
  categoriesOf(shape: RouteShape | undefined): string[];
  /** Headers for every reply while limits are on. */
  headers(counted: CategoryCounter[], now: number): Headers;
  /** Words for the caller who hit a limit. */
  exceeded(counted: CategoryCounter, facts: CallFacts): Failure;
}

export interface Dialect {
  name: string;
  title: string;
  /** Where it is served; the first is the one links use. */
  prefixes: readonly string[];
  status: Record<FailureKind, number>;
  /** The status of this failure, where not all of its kind have the one of the table. */
  statusOf?(failure: Failure): number;
  /** The body of an error. */
  renderError(failure: Failure, facts: CallFacts): unknown;
  /** The schema of what `spell` makes. */
  errorSchema: TSchema;
  /** How a token is sent, for the error of a caller who sent none. */
  tokenHeader: string;
  /** How a token is shown, in the words of OpenAPI. */
  securityScheme: Record<string, string>;
  /** Finds what the request shows to say who calls; does not judge it. */
  credentialOf(facts: CallFacts): Credential | undefined;
  /** Puts a good body into the API's envelope. */
  wrap?: { body(body: unknown): unknown; schema(schema: TSchema): TSchema };
  page: {
    render(page: Page, facts: CallFacts): { body: unknown; headers?: Headers };
    schema(item: TSchema): TSchema;
  };
  versions: VersionTable;
  /** The version this call asks for; throws when it asks for one that there is not. */
  versionOf(facts: CallFacts): string;
  /** Throws when the headers ask for what this API never sends. */
  checkHeaders?(facts: CallFacts): void;
  /** Headers that say which version answered, and what becomes of it. */
  versionHeaders(version: string, shape: RouteShape | undefined, publicUrl: string): Headers;
  limits: LimitPlan;
  cors: Cors;
  /** On every reply. */
  headers: Headers;
  /** Headers that depend on the call. */
  callHeaders?(facts: CallFacts): Headers;
  /** How a caller may mean another verb than it sends. */
  override?: MethodOverride;
  /** The most bytes of a body, as sent and as inflated. */
  bodyLimit: number;
  /** The most keys of all objects of a body, where a body is worked on as a whole. */
  bodyKeys?: number;
  /** Query parameters that every call may have, beside those of its route. */
  commonQuery?: readonly string[];
  /** Throws when a body of this content type is not taken. */
  checkContentType(type: string | undefined, shape: RouteShape): void;
  /** Whether good GET replies carry an ETag and answer 304. */
  conditional: boolean;
}

/** Waiting work: what to do with rows of each kind, and what comes again and again. */
export interface BackgroundWork {
  handlers?: Record<string, DueHandler>;
  recurring?: RecurringWork[];
}

export interface RecurringWork {
  kind: string;
  everyMs: number;
  run(signal: AbortSignal): Promise<void>;
}

/** Who receives a webhook, asked for whenever something is sent. */
export interface Hooks {
  /** Undefined when the hook is gone or off: what waits for it is dropped. */
  targetOf(db: Db, hookId: string): Promise<WebhookTarget | undefined>;
}

export interface WebhookTarget {
  url: string;
  /** Signatures and the like. They win over the usual headers, among them `Content-Type: application/json`. */
  headersFor(body: string, delivery: TargetDelivery): Headers;
}

export interface TargetDelivery {
  id: string;
  eventId: string;
  /** 1 for the first. */
  attempt: number;
  now: number;
}

export interface DemoCall {
  method: Method;
  /** Below the prefix of the API. */
  path: string;
  body?: unknown;
}

/** What a dialect and its parts come to. */
export interface Api extends Part {
  dialect: Dialect;
  routes: readonly Route[];
}
