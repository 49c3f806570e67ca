// A cache that never holds more than it may: what was used least recently goes first.

export interface CacheBounds<Value> {
  /** How much it holds at most: entries, or what `weigh` makes of them together. */
  max: number;
  weigh?(value: Value): number;
}

interface Entry<Value> {
  value: Value;
  weight: number;
  until: number;
}

export class BoundedCache<Key, Value> {
  readonly #max: number;
  readonly #weigh: (value: Value) => number;
  /** The least recently used first. */
  readonly #entries = new Map<Key, Entry<Value>>();
  #weight = 0;
  /** Counts the times that it was cleared. */
  #generation = 0;

  constructor({ max, weigh = () => 1 }: CacheBounds<Value>) {
    this.#max = max;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Undefined for an entry that is good no longer at `now`. */
  get(key: Key, now = 0): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until <= now) {
      this.delete(key);
      return undefined;
    }
    // While less than half of the room is taken nothing goes soon, and the order is not worth its time.
    if (this.#weight * 2 > this.#max) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.value;
  }

  /** A value that weighs more than all may together is not kept. */
  set(key: Key, value: Value, until = Infinity): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#max) return;
    this.#entries.set(key, { value, weight, until });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#max) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
    this.#generation += 1;
  }

  /** Loads what is not there. A value that was being loaded while the cache was cleared may be stale: it is given, not kept. */
  async load(key: Key, find: () => Promise<Found<Value> | undefined>): Promise<Value | undefined> {
    const generation = this.#generation;
    const found = await find();
    if (found !== undefined && generation === this.#generation) this.set(key, found.value, found.until);
    return found?.value;
  }
}

interface Found<Value> {
  value: Value;
  /** Until when it is good. */
  until?: number;
}
