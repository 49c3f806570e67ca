// A map of values that were used lately, bounded in size: what is not used for two generations is forgotten.

export interface RecentlyUsedMapOptions<Value> {
  /** How many values a generation has at most. */
  size: number;
  /** How long a generation lasts at most: a value is remembered for at least as long, unless there are too many. */
  lastsMs: number;
  /** Whether a value must not be forgotten; there must be few of them. */
  isHeld(value: Value): boolean;
  onForgotten?(value: Value): void;
}

/** Two maps, the younger of which gets every value that is used. Forgetting single values would cost a search for the oldest. */
export class RecentlyUsedMap<Value> {
  readonly #options: RecentlyUsedMapOptions<Value>;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #began = 0;

  constructor(options: RecentlyUsedMapOptions<Value>) {
    this.#options = options;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  *values(): Generator<Value> {
    yield* this.#young.values();
    yield* this.#old.values();
  }

  get(id: string, now: number): Value | undefined {
    const young = this.#young.get(id);
    if (young !== undefined) return young;
    const old = this.#old.get(id);
    if (old === undefined) return undefined;
    this.#old.delete(id);
    this.set(id, old, now);
    return old;
  }

  set(id: string, value: Value, now: number): void {
    const { size, lastsMs } = this.#options;
    if (this.#young.size >= size || Math.abs(now - this.#began) >= lastsMs) this.#rotate(now);
    this.#young.set(id, value);
  }

  #rotate(now: number): void {
    const forgotten = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    this.#began = now;
    const { isHeld, onForgotten } = this.#options;
    for (const [id, value] of forgotten) {
      if (isHeld(value)) this.#young.set(id, value);
      else onForgotten?.(value);
    }
  }
}
