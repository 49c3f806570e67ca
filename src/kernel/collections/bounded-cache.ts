// A cache of limited size: the least recently used entries are evicted first.

export interface CacheBounds<Value> {
  /** The maximum size: in entries, or in the sum of what `weigh` returns. */
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
  /** In order of use, the least recently used first. */
  readonly #entries = new Map<Key, Entry<Value>>();
  /** Everything that it has passed is deleted. */
  #oldest: MapIterator<Key> | undefined;
  #weight = 0;
  /** How often the cache was cleared. */
  #generation = 0;

  constructor({ max, weigh = () => 1 }: CacheBounds<Value>) {
    this.#max = max;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Undefined for an entry that has expired at `now`. */
  get(key: Key, now = 0): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until <= now) {
      this.delete(key);
      return undefined;
    }
    // While the cache is less than half full nothing is evicted soon, so the order is not kept up to date.
    if (this.#weight * 2 > this.#max) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.value;
  }

  /** A value that weighs more than the whole cache may is not stored. */
  set(key: Key, value: Value, until = Infinity): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#max) return;
    this.#entries.set(key, { value, weight, until });
    this.#weight += weight;
    while (this.#weight > this.#max) this.#evict();
  }

  /** Goes on with one iterator: a new one would have to pass the places of all entries that were deleted before. */
  #evict(): void {
    this.#oldest ??= this.#entries.keys();
    const { value, done } = this.#oldest.next();
    if (done) this.#oldest = undefined;
    else this.delete(value);
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = undefined;
    this.#weight = 0;
    this.#generation += 1;
  }

  /** Loads a missing value. If the cache is cleared meanwhile, the value may be stale: it is returned but not stored. */
  async load(key: Key, find: () => Promise<Found<Value> | undefined>): Promise<Value | undefined> {
    const generation = this.#generation;
    const found = await find();
    if (found !== undefined && generation === this.#generation) this.set(key, found.value, found.until);
    return found?.value;
  }
}

interface Found<Value> {
  value: Value;
  /** When the value expires. */
  until?: number;
}
