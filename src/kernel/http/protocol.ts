// What differs between the APIs, as data and small functions; the life of a request itself is written once, in serve.ts. ADR 0002.
import type { Module, Tag } from './module.ts';
import type { DueHandler } from '../jobs/due-store.ts';
import type { Failure, FailureKind } from '../failure.ts';
import type { Credential } from '../identity/caller.ts';
import type { Quota } from '../limits/window.ts';
import type { MethodOverride } from './method-override.ts';
import type { Page } from './reply/page.ts';
import type { CategoryCounter, RequestContext } from './request-context.ts';
import type { Method, Route, RouteShape } from './route.ts';
import type { TSchema } from '../schema/schema.ts';
import type { SecondaryCost, SecondaryExcess } from '../limits/secondary-limits.ts';
import type { SampleClient } from '../openapi/reference/client-sample.ts';
import type { VersionTable } from '../versions/version.ts';

/** Names are in lower case. Several cookies in `set-cookie` are separated by line ends. */
export type Headers = Record<string, string>;

export interface Cors {
  /** `echo` answers with the caller's own origin, and `*` when it sent none. */
  origin: 'echo' | '*';
  allowHeaders: string;
  allowMethods: string;
  /** Only for preflights that ask for more than the two lists: these are appended to them. */
  added?: { headers: string; methods: string };
  exposeHeaders?: string;
  maxAge: number;
  /** Every reply has the CORS lists, and a preflight is answered on every path, even on unknown ones. */
  everywhere?: true;
}

export interface LimitPlan {
  /** The default quotas, by category. */
  quotas: Record<string, Quota>;
  /** The categories that a route counts against. */
  categoriesOf(shape: RouteShape | undefined): string[];
  /** Headers for every reply while limits are on. */
  headers(counted: CategoryCounter[], now: number): Headers;
  /** The error for a caller who has reached a limit. */
  exceeded(counted: CategoryCounter, context: RequestContext): Failure;
  /** The operator chooses the status of calls over a limit, and `statusOf` answers with it. */
  hasChosenStatus?: true;
  /** What one caller may do at the same time and in a minute; absent where only budgets limit them. */
  secondary?: SecondaryPlan;
}

export interface SecondaryPlan {
  /** What a call counts for, without a shape for a path that does not exist; undefined for nothing. */
  costOf(shape: RouteShape | undefined): SecondaryCost | undefined;
  exceeded(excess: SecondaryExcess, context: Pick<RequestContext, 'now'>): Failure;
}

export interface AbsentPart {
  /** After the words "this server has no". */
  what: string;
  /** The beginnings of its paths, with `*` for any name. */
  paths: readonly string[];
}

export interface FurtherError {
  code: string;
  kind: FailureKind;
  cause: string;
}

export interface ApiProtocol {
  name: string;
  title: string;
  /** What the API is for and what its calls have in common, for its description. */
  description: string;
  /** Path prefixes under which it is served; links use the first. */
  prefixes: readonly string[];
  /**
   * Other beginnings of paths, such as `/acts` for `/actors`: everything below is served under both, and described once. The
   * parameters may differ, as with `/repositories/{repository_id}` for `/repos/{owner}/{repo}`: the routes then declare all of
   * them as optional, and a call has those of the path that was called.
   */
  pathAliases?: Readonly<Record<string, string>>;
  /** Parameters of paths whose values may have slashes that the caller did not encode, such as names of branches. */
  slashedParams?: readonly string[];
  /** What clients of such an API know and this server does not have, for the documentation. */
  absentParts?: readonly AbsentPart[];
  /** How a path is answered whose parameters cannot be any, such as a word for a number; absent, as invalid. */
  unknownPaths?: 'not-found';
  status: Record<FailureKind, number>;
  /** The status of a failure, where it differs from the table's for its kind. */
  statusOf?(failure: Failure, context: RequestContext): number;
  /** The body of an error. */
  renderError(failure: Failure, context: RequestContext): unknown;
  /** The content type of errors, where it is not that of `headers`. */
  errorType?: string;
  /** The schema of what `renderError` returns. */
  errorSchema: TSchema;
  /** By status, the types of the errors that a route can answer, for APIs whose errors have types. */
  errorTypesOf?(shape: RouteShape, kinds: readonly FailureKind[]): ReadonlyMap<number, readonly string[]>;
  /** The code of each kind of failure in errors of this API; absent where it is the name of the kind. */
  errorCodes?: Record<FailureKind, string>;
  /** Codes that are none of those, each with its kind and its cause. */
  furtherErrors?: readonly FurtherError[];
  /** The official client of the API, for samples. */
  client?: SampleClient;
  /** Whether only tokens of programs that the API runs are valid here. */
  forPrograms?: true;
  /** How a token is sent, for the error of a caller who sent none. */
  tokenHeader: string;
  /** The ways to send a credential, by name, as OpenAPI security schemes; each is accepted. */
  securitySchemes: Record<string, Record<string, string>>;
  /** Extracts the credential from the request, without validating it. */
  credentialOf(context: RequestContext): Credential | undefined;
  /** Throws for callers whom the route is not for. May replace the caller by one with fewer rights. */
  checkCaller?(context: RequestContext): void;
  /** Puts the body of a success into the API's envelope. */
  wrap?: { body(body: unknown): unknown; schema(schema: TSchema): TSchema };
  page: {
    render(page: Page, context: RequestContext): { body: unknown; headers?: Headers };
    schema(item: TSchema): TSchema;
  };
  versions: VersionTable;
  /** The version that the call asks for; throws for an unknown one. */
  versionOf(context: RequestContext): string;
  /** The variant of its version that the call asks for; see `VersionChange.only`. */
  variantOf?(context: RequestContext): string | undefined;
  /** Throws when the headers ask for something that this API cannot send. */
  checkHeaders?(context: RequestContext): void;
  /** What asks for a version, in calls of the server itself; absent where it makes none that ask for one. */
  askForVersion?(version: string): Record<string, string>;
  /** Headers that name the version that answered, and its deprecation. */
  versionHeaders(
    version: string,
    shape: RouteShape | undefined,
    publicUrl: string,
    variant: string | undefined,
  ): Headers;
  /** The same for calls that name their version themselves, and not for those that get the default. */
  namedVersionHeaders?(context: RequestContext): Headers | undefined;
  limits: LimitPlan;
  cors: Cors;
  /** On every reply. */
  headers: Headers;
  /** Headers that depend on the call. */
  callHeaders?(context: RequestContext): Headers;
  /** How a caller may override the method that it sends. */
  override?: MethodOverride;
  /** The maximum size of a body in bytes, as sent and as inflated. */
  bodyLimit: number;
  /** The maximum number of keys in all objects of a body. */
  bodyKeys?: number;
  /** Query parameters that every route accepts beside its own. */
  commonQuery?: readonly string[];
  /** Throws when bodies of this content type are not accepted. */
  checkContentType(type: string | undefined, shape: RouteShape): void;
  /** Whether successful GET replies have an ETag and answer 304. */
  conditional: boolean;
}

/** Background work: handlers of due rows by kind, and work that recurs. */
export interface BackgroundWork {
  handlers?: Record<string, DueHandler>;
  recurring?: RecurringWork[];
}

export interface RecurringWork {
  kind: string;
  everyMs: number;
  run(signal: AbortSignal): Promise<void>;
}

export interface DemoCall {
  method: Method;
  /** Below the prefix of the API. */
  path: string;
  body?: unknown;
  /** The status for a resource that exists already, beside 409. */
  existing?: number;
}

/** A GET or DELETE of what is not there is answered 404; every other error ends the calls. */
export interface DemoReply {
  status: number;
  /** Undefined where it is no JSON. */
  body: unknown;
}

/**
 * The calls in order. Each creates something only if it is missing, because a start may be interrupted between any two. After
 * `listening` come those that need a server that listens and works; no start waits for them.
 */
export type DemoCalls = AsyncGenerator<DemoCall | 'listening', void, DemoReply>;

/** Something of the example content that is there: what `removeDemo` deletes. */
export interface DemoPart {
  /** As the audit log names it. Changes of it, and of what is below it, are found by this. */
  resource: string;
  kind: string;
  name: string;
  /** When that was last changed of which the audit log says nothing: items, runs, commits, issues. */
  dataChangedAt?: number;
  /** The example itself changes it until it is complete. */
  isFinishedLast?: boolean;
}

/** A protocol joined with its parts. */
export interface Api extends Module {
  protocol: ApiProtocol;
  routes: readonly Route[];
  /** The heading of each operation in the description, by its id; absent where nothing is described. */
  tags?: ReadonlyMap<string, Tag>;
}
