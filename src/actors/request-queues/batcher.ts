// Combines the reads or writes of many calls into few statements: while one statement runs, the next batch fills up.

/** Limits the size of a batch. The items of one call are never split, and form a batch of their own when they exceed it. */
export interface BatchLimit<Item> {
  maxSize: number;
  sizeOf(item: Item): number;
}

/** Returns a result for each item, in the order of the items. */
export type Execute<Item, Result> = (key: string, items: Item[]) => Promise<Result[]>;

interface PendingCall<Item, Result> {
  items: Item[];
  size: number;
  resolve(results: Result[]): void;
  reject(error: unknown): void;
}

/**
 * For each key, batches run one at a time, in the order of the calls. The first runs at once: waiting for more calls would
 * leave the database idle. A statement that fails rejects all calls of its batch, so the caller must reject a bad item
 * before adding it.
 */
export class Batcher<Item, Result> {
  readonly #execute: Execute<Item, Result>;
  readonly #limit: BatchLimit<Item>;
  /** The waiting calls, for each key of which a statement is running. */
  readonly #waiting = new Map<string, PendingCall<Item, Result>[]>();

  constructor(execute: Execute<Item, Result>, limit: BatchLimit<Item>) {
    this.#execute = execute;
    this.#limit = limit;
  }

  add(key: string, items: Item[]): Promise<Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>();
    let size = 0;
    for (const item of items) size += this.#limit.sizeOf(item);
    const call = { items, size, resolve, reject };
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      waiting.push(call);
    } else {
      this.#waiting.set(key, []);
      void this.#run(key, [call]);
    }
    return promise;
  }

  async #run(key: string, calls: PendingCall<Item, Result>[]): Promise<void> {
    const items = calls.length === 1 ? calls[0]!.items : calls.flatMap((call) => call.items);
    let results: Result[];
    try {
      results = await this.#execute(key, items);
    } catch (error) {
      this.#runNext(key);
      for (const call of calls) call.reject(error);
      return;
    }
    // Before these calls are answered, so that the database works meanwhile.
    this.#runNext(key);
    let at = 0;
    for (const call of calls) call.resolve(results.slice(at, (at += call.items.length)));
  }

  #runNext(key: string): void {
    const calls = this.#nextBatch(this.#waiting.get(key)!);
    if (calls.length > 0) void this.#run(key, calls);
    else this.#waiting.delete(key);
  }

  #nextBatch(waiting: PendingCall<Item, Result>[]): PendingCall<Item, Result>[] {
    let count = 0;
    let size = 0;
    for (const call of waiting) {
      size += call.size;
      if (count > 0 && size > this.#limit.maxSize) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }
}
