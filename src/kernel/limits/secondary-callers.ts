// The callers that secondary limits remember: bounded in number, and in the counters that all of them have together. ADR 0080.
import { RecentlyUsedMap } from '../collections/recently-used-map.ts';

export const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

/** What is counted within the same five seconds is forgotten together, so that a count has at most 13 parts. */
const SLICE_MS = 5000;

/** Half of how many callers are remembered; those with open calls always are. */
const CALLERS_PER_GENERATION = 25_000;

/** How many counters of endpoints callers have together; one takes 180 bytes, and 530 where every slice is used. */
const MAX_COUNTERS = 100_000;

export interface CallerState {
  open: number;
  /** By endpoint. */
  points: Map<string, SlidingMinute>;
  /** When points were last added. */
  pointsAt: number;
  contentInMinute: SlidingMinute;
  hourEnds: number;
  contentInHour: number;
}

export class SecondaryCallers {
  readonly #states: RecentlyUsedMap<CallerState>;
  readonly #maxCounters: number;
  #counters = 0;
  #sweptAt = 0;

  constructor(maxCounters = MAX_COUNTERS) {
    this.#maxCounters = maxCounters;
    this.#states = new RecentlyUsedMap({
      size: CALLERS_PER_GENERATION,
      lastsMs: HOUR_MS,
      isHeld: ({ open }) => open > 0,
      onForgotten: (state) => this.#clearPoints(state),
    });
  }

  get size(): number {
    return this.#states.size;
  }

  /** How many counters of endpoints there are. */
  get counters(): number {
    return this.#counters;
  }

  find(id: string, now: number): CallerState | undefined {
    return this.#states.get(id, now);
  }

  /** With the hour of now. */
  open(id: string, now: number): CallerState {
    const known = this.#states.get(id, now);
    if (known !== undefined) {
      beginHour(known, now);
      // Most callers come and go: their counters end together, without a look at each.
      if (!isWithinMinute(known.pointsAt, now)) {
        this.#clearPoints(known);
        known.pointsAt = now;
      }
      return known;
    }
    const state = newState(now);
    this.#states.set(id, state, now);
    return state;
  }

  /**
   * Which of the caller's counters an endpoint has: its own, or where there are too many, one for all endpoints of its kind.
   * So a flood from very many addresses to very many endpoints takes bounded memory, and nobody is without a limit.
   */
  counterOf(
    { points }: CallerState,
    { endpoint, kind }: { endpoint: string; kind: string },
    now: number,
  ): string {
    if (points.has(endpoint) || this.#counters < this.#maxCounters) return endpoint;
    this.#sweep(now);
    return this.#counters < this.#maxCounters ? endpoint : kind;
  }

  addPoints(state: CallerState, counter: string, added: number, now: number): void {
    const minute = state.points.get(counter);
    if (minute === undefined) {
      state.points.set(counter, new SlidingMinute(added, now));
      this.#counters += 1;
    } else minute.add(added, now);
    state.pointsAt = Math.max(state.pointsAt, now);
  }

  /** Deletes the counters that are empty; looking at all of them takes milliseconds, so once a minute. */
  #sweep(now: number): void {
    if (isWithinMinute(this.#sweptAt, now)) return;
    this.#sweptAt = now;
    for (const { points } of this.#states.values())
      for (const [counter, minute] of points)
        if (minute.totalAt(now) === 0) {
          points.delete(counter);
          this.#counters -= 1;
        }
  }

  #clearPoints({ points }: CallerState): void {
    this.#counters -= points.size;
    points.clear();
  }
}

/** An hour that ends later than any can was begun before the clock was set back. */
function beginHour(state: CallerState, now: number): void {
  if (state.hourEnds > now && state.hourEnds <= now + HOUR_MS) return;
  state.hourEnds = now + HOUR_MS;
  state.contentInHour = 0;
}

function isWithinMinute(at: number, now: number): boolean {
  return Math.abs(now - at) < MINUTE_MS;
}

function newState(now: number): CallerState {
  return {
    open: 0,
    points: new Map(),
    pointsAt: now,
    contentInMinute: new SlidingMinute(0, now),
    hourEnds: now + HOUR_MS,
    contentInHour: 0,
  };
}

export class SlidingMinute {
  /** Pairs, the oldest first: when something was last counted in a slice, and how much is in it. */
  readonly #slices: number[];
  #total: number;

  constructor(amount: number, now: number) {
    // An array that begins empty takes room for 17 numbers with the first.
    this.#slices = [now, amount];
    this.#total = amount;
  }

  /** How much is in the minute that ends now. */
  totalAt(now: number): number {
    this.#forget(now);
    return this.#total;
  }

  add(amount: number, now: number): void {
    this.#forget(now);
    const slices = this.#slices;
    const latest = slices.at(-2) ?? -Infinity;
    // Calls are counted when their credential is known, which may be in another order than they began.
    const at = Math.max(latest, now);
    if (Math.floor(latest / SLICE_MS) === Math.floor(at / SLICE_MS)) {
      slices[slices.length - 2] = at;
      slices[slices.length - 1]! += amount;
    } else slices.push(at, amount);
    this.#total += amount;
  }

  /** When at most this much is left of what is counted now; undefined for less than nothing. */
  fallsTo(most: number): number | undefined {
    let left = this.#total;
    for (let index = 0; index < this.#slices.length; index += 2) {
      left -= this.#slices[index + 1]!;
      if (left <= most) return this.#slices[index]! + MINUTE_MS;
    }
    return undefined;
  }

  /** A slice lasts until its latest call is a minute ago. One far ahead was counted before the clock was set back. */
  #forget(now: number): void {
    const slices = this.#slices;
    if ((slices.at(-2) ?? now) - now > MINUTE_MS) {
      slices.length = 0;
      this.#total = 0;
    }
    let past = 0;
    while (past < slices.length && slices[past]! + MINUTE_MS <= now) {
      this.#total -= slices[past + 1]!;
      past += 2;
    }
    if (past > 0) slices.splice(0, past);
  }
}
