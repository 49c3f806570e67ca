// One call in progress: the context that the stages fill in, and the permission and budget checks for its handler.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure } from '../failure.ts';
import { newCallId } from '../id.ts';
import type { Caller } from '../identity/caller.ts';
import { can, requirePermission, matchesAction } from '../identity/policy.ts';
import type { Limits } from '../limits/limits.ts';
import type { Counter } from '../limits/window.ts';
import type { OverriddenMethod } from './method-override.ts';
import type { RouteShape } from './route.ts';
import type { RouteUsage } from '../versions/usage/route-usage.ts';

/** What the stages know of a call; some of it is filled in later than at the start. */
export interface RequestContext {
  id: string;
  now: number;
  /** The effective method. */
  method: string;
  /** Present where the caller sent another method, or asked for an override that is not allowed. */
  overridden: OverriddenMethod | undefined;
  url: string;
  /** Where clients reach the server, without a slash at the end. */
  site: string;
  /** The same of the API, with the prefix that the call has used. */
  base: string;
  headers: IncomingHttpHeaders;
  address: string;
  /** That of calls which ask for none, until the caller's own is known. */
  version: string;
  /** What else the call asks for that changes the shapes of its version; mostly nothing. */
  variant: string | undefined;
  /** The caller asked for a version that is not available. */
  isVersionRefused: boolean;
  caller: Caller | undefined;
  /** A cookie names a session, whose second secret was not sent: the caller is anonymous. */
  isSessionIncomplete: boolean;
  shape: RouteShape | undefined;
  /** As the handler gets it, once it is read. */
  body: unknown;
  /** The rate limits that the call counts against, by their full names. */
  categories: readonly string[];
  /** Their state, once the call was counted. */
  counters: CategoryCounter[];
  /** The status of a call over a limit that the operator chose. */
  readonly exceededStatus: number | undefined;
  /** How long ago it began. */
  readonly elapsedMs: number;
  /** Whether it was answered with an error, which is logged already. */
  hasFailed: boolean;
  /** Counts the call if newer versions would change it; undefined on routes where none does. */
  usage: RouteUsage | undefined;
  /** What newer versions would change in this call, as bits of `usage`. */
  effects: number;
}

export interface CategoryCounter {
  category: string;
  counter: Counter;
}

export interface CallStart {
  now: number;
  method: string;
  url: string;
  site: string;
  prefix: string;
  headers: IncomingHttpHeaders;
  address: string;
  version: string;
  shape: RouteShape | undefined;
  categories: readonly string[];
  limits: Limits;
  overridden: OverriddenMethod | undefined;
}

export class ActiveRequestContext implements RequestContext {
  readonly id = newCallId();
  readonly now: number;
  readonly method: string;
  readonly url: string;
  readonly site: string;
  readonly base: string;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly shape: RouteShape | undefined;
  readonly categories: readonly string[];
  readonly counters: CategoryCounter[] = [];
  readonly overridden: OverriddenMethod | undefined;
  version: string;
  variant: string | undefined;
  caller: Caller | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  stream: Readable | undefined;
  received: unknown;
  isVersionRefused = false;
  isSessionIncomplete = false;
  hasFailed = false;
  usage: RouteUsage | undefined;
  effects = 0;
  /** What answers it: its end before the reply is finished means that the client is gone. */
  response: ServerResponse | undefined;
  #gone: AbortController | undefined;
  readonly #begun = performance.now();
  readonly #limits: Limits;
  /** The first action that was checked; most calls check only one, which saves the set. */
  #asked: string | undefined;
  #alsoAsked: Set<string> | undefined;

  constructor(start: CallStart) {
    const { now, method, url, site, prefix, headers, address, version, shape } = start;
    const { categories, limits, overridden } = start;
    this.now = now;
    this.method = method;
    this.url = url;
    this.site = site;
    this.base = site + prefix;
    this.headers = headers;
    this.address = address;
    this.version = version;
    this.shape = shape;
    this.categories = categories;
    this.overridden = overridden;
    this.#limits = limits;
  }

  get exceededStatus(): number | undefined {
    return this.#limits.exceededStatus;
  }

  /** Fires when the client goes away. Most calls never ask for it. */
  get signal(): AbortSignal {
    if (this.#gone !== undefined) return this.#gone.signal;
    this.#gone = new AbortController();
    const { response } = this;
    const onClose = () => response?.writableFinished === false && this.leave();
    if (response?.destroyed === true) onClose();
    else response?.once('close', onClose);
    return this.#gone.signal;
  }

  /** The client is gone. */
  leave(): void {
    this.#gone ??= new AbortController();
    this.#gone.abort(new Failure('unavailable', 'The client went away.'));
  }

  get elapsedMs(): number {
    return performance.now() - this.#begun;
  }

  requirePermission(resource: string, action = this.#declared()): void {
    this.#remember(action);
    requirePermission(this.caller!, action, resource);
  }

  can(resource: string, action = this.#declared()): boolean {
    this.#remember(action);
    return can(this.caller!, action, resource);
  }

  /**
   * Throws where the handler has not checked the permission that its route declares: a change must then not be committed,
   * and a reply not be sent. For a change, a check of a `view…` action does not suffice.
   */
  assertPermissionChecked(isChange: boolean): void {
    const access = this.shape?.access;
    if (typeof access !== 'object' || this.#asked === access.action) return;
    const declared = [access.action, ...(access.others ?? [])];
    for (const asked of this.#asked === undefined ? [] : [this.#asked, ...(this.#alsoAsked ?? [])]) {
      if (isChange && asked.startsWith('view')) continue;
      if (declared.some((pattern) => matchesAction(pattern, asked))) return;
    }
    throw new Error(`${this.shape!.id} has not asked for the permission that it declares: ${access.action}`);
  }

  #remember(action: string): void {
    if (this.#asked === undefined) this.#asked = action;
    else if (this.#asked !== action) (this.#alsoAsked ??= new Set()).add(action);
  }

  async spend(cost: number): Promise<boolean> {
    const [counted] = this.counters;
    if (counted === undefined || this.caller === undefined) return true;
    const taken = await this.#limits.consume(counted.category, this.caller, this.now, cost);
    if (taken !== undefined) counted.counter = taken;
    return taken !== undefined;
  }

  #declared(): string {
    const access = this.shape?.access;
    if (typeof access !== 'object') throw new Error(`${this.shape?.id} declares no permission to ask for`);
    return access.action;
  }
}
