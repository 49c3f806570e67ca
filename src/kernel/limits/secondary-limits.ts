// Secondary rate limits: how much one caller may do at the same time, and in a minute. They are counted in this process only. ADR 0058.
import type { Caller } from '../identity/caller.ts';
import { budgetIdOf } from './limits.ts';
import { SecondaryCallers, type CallerState, MINUTE_MS } from './secondary-callers.ts';

/** The numbers; 0 is no limit. */
export interface SecondaryQuotas {
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

export class SecondaryLimits {
  readonly enabled: boolean;
  readonly quotas: SecondaryQuotas;
  /** Members and addresses are apart, so that many addresses displace no member. */
  readonly #known: SecondaryCallers;
  readonly #anonymous: SecondaryCallers;

  constructor(enabled: boolean, quotas: SecondaryQuotas, maxCounters?: number) {
    this.#known = new SecondaryCallers(maxCounters);
    this.#anonymous = new SecondaryCallers(maxCounters);
    const { concurrent, pointsPerMinute, contentPerMinute, contentPerHour } = quotas;
    const all = [concurrent, contentPerMinute, contentPerHour, ...Object.values(pointsPerMinute)];
    this.enabled = enabled && all.some((limit) => limit > 0);
    this.quotas = quotas;
  }

  /** How many callers are remembered. */
  get size(): number {
    return this.#known.size + this.#anonymous.size;
  }

  /** How many counters of endpoints they have. */
  get counters(): number {
    return this.#known.counters + this.#anonymous.counters;
  }

  /** How many calls of the caller are not answered yet. */
  openCalls(caller: Caller, now: number): number {
    return this.#callersLike(caller).find(budgetIdOf(caller), now)?.open ?? 0;
  }

  /** Counts a call until it ends, or says which limit forbids it; then nothing is counted. */
  enter(caller: Caller, cost: SecondaryCost, ending: EndingCall, now: number): SecondaryExcess | undefined {
    const callers = this.#callersLike(caller);
    const state = callers.open(budgetIdOf(caller), now);
    const counter = callers.counterOf(state, cost, now);
    const excess = this.#excessOf(state, cost, counter, now);
    if (excess !== undefined) return excess;
    callers.addPoints(state, counter, cost.points, now);
    if (cost.createsContent) {
      state.contentInMinute.add(1, now);
      state.contentInHour += 1;
    }
    // The client may have gone while its credential was looked up; then `close` does not come again.
    if (ending.closed) return undefined;
    state.open += 1;
    ending.once('close', () => void (state.open -= 1));
    return undefined;
  }

  /** For a call that was counted and turns out to be worth more; or says which limit forbids it, and counts nothing. */
  addPoints(caller: Caller, cost: SecondaryCost, now: number): SecondaryExcess | undefined {
    const callers = this.#callersLike(caller);
    const state = callers.open(budgetIdOf(caller), now);
    const counter = callers.counterOf(state, cost, now);
    const excess = this.#pointsExcessOf(state, cost, counter, now);
    if (excess === undefined) callers.addPoints(state, counter, cost.points, now);
    return excess;
  }

  #pointsExcessOf(
    state: CallerState,
    { kind, points }: SecondaryCost,
    counter: string,
    now: number,
  ): SecondaryExcess | undefined {
    const most = this.quotas.pointsPerMinute[kind] ?? 0;
    const spent = state.points.get(counter);
    if (most === 0 || (spent?.totalAt(now) ?? 0) + points <= most) return undefined;
    return { rule: 'points', limit: most, retryAt: spent?.fallsTo(most - points) ?? now + MINUTE_MS };
  }

  #excessOf(
    state: CallerState,
    cost: SecondaryCost,
    counter: string,
    now: number,
  ): SecondaryExcess | undefined {
    const { concurrent, contentPerMinute, contentPerHour } = this.quotas;
    if (concurrent > 0 && state.open >= concurrent)
      return { rule: 'concurrent', limit: concurrent, retryAt: now };
    const points = this.#pointsExcessOf(state, cost, counter, now);
    if (points !== undefined || !cost.createsContent) return points;
    if (contentPerHour > 0 && state.contentInHour >= contentPerHour)
      return { rule: 'content', limit: contentPerHour, retryAt: state.hourEnds };
    const { contentInMinute } = state;
    if (contentPerMinute > 0 && contentInMinute.totalAt(now) >= contentPerMinute) {
      const retryAt = contentInMinute.fallsTo(contentPerMinute - 1) ?? now + MINUTE_MS;
      return { rule: 'content', limit: contentPerMinute, retryAt };
    }
    return undefined;
  }

  #callersLike(caller: Caller): SecondaryCallers {
    return caller.kind === 'anonymous' ? this.#anonymous : this.#known;
  }
}
