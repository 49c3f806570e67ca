// Gathers what many calls want to write to one thing into few statements: while one is under way, the next fills up.

/** As many items as one statement takes; what one call brings is never divided. */
const MOST_ITEMS = 500;

export type Write<Item, Result> = (key: string, items: Item[]) => Promise<Result[]>;

interface Unit<Item, Result> {
  items: Item[];
  resolve(results: Result[]): void;
  reject(error: unknown): void;
}

/**
 * For each key there is one write at a time, in the order of the calls. So that a call cannot spoil the others it is
 * gathered with, an item that may fail alone must be refused before it comes here.
 */
export class Gatherer<Item, Result> {
  readonly #write: Write<Item, Result>;
  readonly #waiting = new Map<string, Unit<Item, Result>[]>();

  constructor(write: Write<Item, Result>) {
    this.#write = write;
  }

  add(key: string, items: Item[]): Promise<Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>();
    const unit = { items, resolve, reject };
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      waiting.push(unit);
    } else {
      this.#waiting.set(key, [unit]);
      // Once all calls that came in this turn are here.
      setImmediate(() => void this.#work(key));
    }
    return promise;
  }

  async #work(key: string): Promise<void> {
    for (;;) {
      const units = this.#take(key);
      if (units === undefined) return;
      const items = units.length === 1 ? units[0]!.items : units.flatMap((unit) => unit.items);
      try {
        const results = await this.#write(key, items);
        let at = 0;
        for (const unit of units) unit.resolve(results.slice(at, (at += unit.items.length)));
      } catch (error) {
        for (const unit of units) unit.reject(error);
      }
    }
  }

  #take(key: string): Unit<Item, Result>[] | undefined {
    const waiting = this.#waiting.get(key)!;
    let count = 0;
    let size = 0;
    while (count < waiting.length && (count === 0 || size < MOST_ITEMS))
      size += waiting[count++]!.items.length;
    if (count > 0) return waiting.splice(0, count);
    this.#waiting.delete(key);
    return undefined;
  }
}
