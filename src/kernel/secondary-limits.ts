// Secondary rate limits: how much one caller may do at the same time, and in a minute. They are counted in this process only.
import type { Caller } from './identity/caller.ts';
import { Generations } from './generations.ts';
import { budgetIdOf } from './limit.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Half of how many callers of each kind are remembered; those with open calls always are. */
const CALLERS_PER_GENERATION = 25_000;

/** The numbers; 0 is no limit. */
export interface SecondaryAllowances {
  /** Calls that are not answered yet. */
  concurrent: number;
  /** Points in a minute to one endpoint, by the kind of endpoint. */
  pointsPerMinute: Record<string, number>;
  /** Calls that create content. */
  contentPerMinute: number;
  contentPerHour: number;
}

/** What each call of a route counts for. */
export interface SecondaryCost {
  /** The kind of endpoint, which has its own number of points. */
  kind: string;
  /** Whose points are counted together. */
  endpoint: string;
  points: number;
  createsContent: boolean;
}

export type SecondaryRule = 'concurrent' | 'points' | 'content';

/** A limit that a call would exceed. */
export interface SecondaryExcess {
  rule: SecondaryRule;
  limit: number;
  /** When the same call may succeed. */
  retryAt: number;
}

/** What ends a call: Node's response, which emits `close` once, however the call ends. */
export interface EndingCall {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

interface CallerState {
  open: number;
  minuteEnds: number;
  /** By endpoint. */
  points: Map<string, number>;
  contentInMinute: number;
  hourEnds: number;
  contentInHour: number;
}

export class SecondaryLimits {
  readonly enabled: boolean;
  readonly allowances: SecondaryAllowances;
  /** Members and addresses are apart, so that many addresses displace no member. */
  readonly #known = rememberedCallers();
  readonly #anonymous = rememberedCallers();

  constructor(enabled: boolean, allowances: SecondaryAllowances) {
    const { concurrent, pointsPerMinute, contentPerMinute, contentPerHour } = allowances;
    const all = [concurrent, contentPerMinute, contentPerHour, ...Object.values(pointsPerMinute)];
    this.enabled = enabled && all.some((limit) => limit > 0);
    this.allowances = allowances;
  }

  /** How many callers are remembered. */
  get size(): number {
    return this.#known.size + this.#anonymous.size;
  }

  /** How many calls of the caller are not answered yet. */
  openCalls(caller: Caller, now: number): number {
    return this.#callersLike(caller).get(budgetIdOf(caller), now)?.open ?? 0;
  }

  /** Counts a call until it ends, or says which limit forbids it; then nothing is counted. */
  enter(caller: Caller, cost: SecondaryCost, ending: EndingCall, now: number): SecondaryExcess | undefined {
    const state = this.#stateOf(caller, now);
    const excess = this.#excessOf(state, cost, now);
    if (excess !== undefined) return excess;
    state.points.set(cost.endpoint, (state.points.get(cost.endpoint) ?? 0) + cost.points);
    if (cost.createsContent) {
      state.contentInMinute += 1;
      state.contentInHour += 1;
    }
    // The client may have gone while its credential was looked up; then `close` does not come again.
    if (ending.closed) return undefined;
    state.open += 1;
    ending.once('close', () => void (state.open -= 1));
    return undefined;
  }

  #excessOf(state: CallerState, cost: SecondaryCost, now: number): SecondaryExcess | undefined {
    const { concurrent, pointsPerMinute, contentPerMinute, contentPerHour } = this.allowances;
    if (concurrent > 0 && state.open >= concurrent)
      return { rule: 'concurrent', limit: concurrent, retryAt: now };
    const most = pointsPerMinute[cost.kind] ?? 0;
    if (most > 0 && (state.points.get(cost.endpoint) ?? 0) + cost.points > most)
      return { rule: 'points', limit: most, retryAt: state.minuteEnds };
    if (!cost.createsContent) return undefined;
    if (contentPerHour > 0 && state.contentInHour >= contentPerHour)
      return { rule: 'content', limit: contentPerHour, retryAt: state.hourEnds };
    if (contentPerMinute > 0 && state.contentInMinute >= contentPerMinute)
      return { rule: 'content', limit: contentPerMinute, retryAt: state.minuteEnds };
    return undefined;
  }

  #stateOf(caller: Caller, now: number): CallerState {
    const callers = this.#callersLike(caller);
    const id = budgetIdOf(caller);
    const known = callers.get(id, now);
    if (known === undefined) {
      const state = newState(now);
      callers.set(id, state, now);
      return state;
    }
    beginWindows(known, now);
    return known;
  }

  #callersLike(caller: Caller): Generations<CallerState> {
    return caller.kind === 'anonymous' ? this.#anonymous : this.#known;
  }
}

function rememberedCallers(): Generations<CallerState> {
  return new Generations({ size: CALLERS_PER_GENERATION, lastsMs: HOUR_MS, isHeld: ({ open }) => open > 0 });
}

/** Those that have ended begin anew. One that ends later than any can was opened before the clock was set back. */
function beginWindows(state: CallerState, now: number): void {
  if (state.minuteEnds <= now || state.minuteEnds > now + MINUTE_MS) {
    state.minuteEnds = now + MINUTE_MS;
    state.points.clear();
    state.contentInMinute = 0;
  }
  if (state.hourEnds <= now || state.hourEnds > now + HOUR_MS) {
    state.hourEnds = now + HOUR_MS;
    state.contentInHour = 0;
  }
}

function newState(now: number): CallerState {
  return {
    open: 0,
    minuteEnds: now + MINUTE_MS,
    points: new Map(),
    contentInMinute: 0,
    hourEnds: now + HOUR_MS,
    contentInHour: 0,
  };
}
