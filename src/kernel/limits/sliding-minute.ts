// A count of the last minute, wherever it begins: no 60 seconds have more than was allowed, and the cost of a call is constant. ADR 0080.

export const MINUTE_MS = 60_000;

/** What is counted within the same five seconds is forgotten together, so that a count has at most 13 parts. */
const SLICE_MS = 5000;

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
