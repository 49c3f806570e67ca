// Gathers what many calls want to read or write of one thing into few statements: while one is under way, the next fills up.

/** How much goes together. What one call brings is never divided, and goes alone when it is more. */
export interface Measure<Item> {
  most: number;
  sizeOf(item: Item): number;
}

/** Answers with a result for each item, in their order. */
export type Execute<Item, Result> = (key: string, items: Item[]) => Promise<Result[]>;

interface Unit<Item, Result> {
  items: Item[];
  size: number;
  resolve(results: Result[]): void;
  reject(error: unknown): void;
}

/**
 * For each key, statements begin in the order of the calls, and one at a time. The first begins at once: waiting for more to
 * come would leave the database idle, and then all would wait for it together. So that a call cannot spoil the others it is
 * gathered with, an item that may fail alone must be refused before it comes here.
 */
export class Gatherer<Item, Result> {
  readonly #execute: Execute<Item, Result>;
  readonly #measure: Measure<Item>;
  /** What waits, for each key of which a statement is under way. */
  readonly #waiting = new Map<string, Unit<Item, Result>[]>();

  constructor(execute: Execute<Item, Result>, measure: Measure<Item>) {
    this.#execute = execute;
    this.#measure = measure;
  }

  add(key: string, items: Item[]): Promise<Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>();
    let size = 0;
    for (const item of items) size += this.#measure.sizeOf(item);
    const unit = { items, size, resolve, reject };
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      waiting.push(unit);
    } else {
      this.#waiting.set(key, []);
      void this.#run(key, [unit]);
    }
    return promise;
  }

  async #run(key: string, units: Unit<Item, Result>[]): Promise<void> {
    const items = units.length === 1 ? units[0]!.items : units.flatMap((unit) => unit.items);
    let results: Result[];
    try {
      results = await this.#execute(key, items);
    } catch (error) {
      this.#goOn(key);
      for (const unit of units) unit.reject(error);
      return;
    }
    // Before these are answered, so that the database works meanwhile.
    this.#goOn(key);
    let at = 0;
    for (const unit of units) unit.resolve(results.slice(at, (at += unit.items.length)));
  }

  #goOn(key: string): void {
    const units = this.#take(this.#waiting.get(key)!);
    if (units.length > 0) void this.#run(key, units);
    else this.#waiting.delete(key);
  }

  #take(waiting: Unit<Item, Result>[]): Unit<Item, Result>[] {
    let count = 0;
    let size = 0;
    for (const unit of waiting) {
      size += unit.size;
      if (count > 0 && size > this.#measure.most) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }
}
