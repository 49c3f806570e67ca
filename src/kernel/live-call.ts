// One call from its first moment to its reply: the facts that the stages fill in, and what its handler may ask of it.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { CallFacts, Counted } from './dialect.ts';
import { newCallId } from './id.ts';
import type { Caller } from './identity/caller.ts';
import { can, demand, matchesAction } from './identity/policy.ts';
import type { Limits } from './limit.ts';
import type { Overridden } from './method-override.ts';
import type { Shape } from './route.ts';

export interface CallStart {
  now: number;
  method: string;
  url: string;
  base: string;
  headers: IncomingHttpHeaders;
  address: string;
  version: string;
  shape: Shape | undefined;
  categories: readonly string[];
  limits: Limits;
  overridden: Overridden | undefined;
}

export class LiveCall implements CallFacts {
  readonly id = newCallId();
  readonly now: number;
  readonly method: string;
  readonly url: string;
  readonly base: string;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly shape: Shape | undefined;
  readonly categories: readonly string[];
  readonly counters: Counted[] = [];
  readonly overridden: Overridden | undefined;
  version: string;
  caller: Caller | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  stream: Readable | undefined;
  isVersionRefused = false;
  hasFailed = false;
  readonly #limits: Limits;
  /** Most calls ask for one action. */
  #asked: string | undefined;
  #alsoAsked: Set<string> | undefined;

  constructor(start: CallStart) {
    const { now, method, url, base, headers, address, version, shape, categories, limits, overridden } =
      start;
    this.now = now;
    this.method = method;
    this.url = url;
    this.base = base;
    this.headers = headers;
    this.address = address;
    this.version = version;
    this.shape = shape;
    this.categories = categories;
    this.overridden = overridden;
    this.#limits = limits;
  }

  demand(resource: string, action = this.#declared()): void {
    this.#remember(action);
    demand(this.caller!, action, resource);
  }

  can(resource: string, action = this.#declared()): boolean {
    this.#remember(action);
    return can(this.caller!, action, resource);
  }

  /**
   * A change for which the declared permission was not asked for is a mistake that must not be committed, and a reply must
   * not go out. To have asked whether the caller may look is not enough for a change.
   */
  checkAsked(isChange: boolean): void {
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
    const taken = await this.#limits.draw(counted.category, this.caller, this.now, cost);
    if (taken !== undefined) counted.counter = taken;
    return taken !== undefined;
  }

  #declared(): string {
    const access = this.shape?.access;
    if (typeof access !== 'object') throw new Error(`${this.shape?.id} declares no permission to ask for`);
    return access.action;
  }
}
