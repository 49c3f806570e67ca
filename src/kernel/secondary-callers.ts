// The callers that secondary limits remember: bounded in number, and in the counters that all of them have together.
import { Generations } from './generations.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Half of how many callers are remembered; those with open calls always are. */
const CALLERS_PER_GENERATION = 25_000;

/** How many counters of endpoints callers have together; one takes about 50 bytes. */
const MAX_COUNTERS = 250_000;

export interface CallerState {
  open: number;
  minuteEnds: number;
  /** By endpoint. */
  points: Map<string, number>;
  contentInMinute: number;
  hourEnds: number;
  contentInHour: number;
}

export class SecondaryCallers {
  readonly #states: Generations<CallerState>;
  readonly #maxCounters: number;
  #counters = 0;
  #sweptAt = 0;

  constructor(maxCounters = MAX_COUNTERS) {
    this.#maxCounters = maxCounters;
    this.#states = new Generations({
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

  /** With the windows of now. */
  open(id: string, now: number): CallerState {
    const known = this.#states.get(id, now);
    if (known !== undefined) {
      this.#beginWindows(known, now);
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

  addPoints({ points }: CallerState, counter: string, added: number): void {
    const before = points.get(counter);
    if (before === undefined) this.#counters += 1;
    points.set(counter, (before ?? 0) + added);
  }

  /** Clears the counters of minutes that have ended; looking at every caller takes milliseconds, so once a minute. */
  #sweep(now: number): void {
    if (Math.abs(now - this.#sweptAt) < MINUTE_MS) return;
    this.#sweptAt = now;
    for (const state of this.#states.values())
      if (!isOpenAt(state.minuteEnds, MINUTE_MS, now)) this.#clearPoints(state);
  }

  #clearPoints({ points }: CallerState): void {
    this.#counters -= points.size;
    points.clear();
  }

  #beginWindows(state: CallerState, now: number): void {
    if (!isOpenAt(state.minuteEnds, MINUTE_MS, now)) {
      state.minuteEnds = now + MINUTE_MS;
      this.#clearPoints(state);
      state.contentInMinute = 0;
    }
    if (!isOpenAt(state.hourEnds, HOUR_MS, now)) {
      state.hourEnds = now + HOUR_MS;
      state.contentInHour = 0;
    }
  }
}

/** A window that ends later than any can was opened before the clock was set back. */
function isOpenAt(ends: number, lengthMs: number, now: number): boolean {
  return ends > now && ends <= now + lengthMs;
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
