// Gathers small writes into larger ones: while a call is under way, further entries wait for the next.

/**
 * @template Entry
 * @typedef {{ entry: Entry, resolve: () => void, reject: (error: unknown) => void }} Waiting
 */

/** @template Entry */
export class Batcher {
  /** @type {(entries: Entry[]) => Promise<unknown>} */
  #write;
  /** @type {number} */
  #size;
  /** @type {number} */
  #lanes;
  /** @type {Waiting<Entry>[]} */
  #waiting = [];
  #busy = 0;

  /**
   * @param {(entries: Entry[]) => Promise<unknown>} write
   * @param {{ size: number, lanes?: number }} limits How many entries a call takes, and how many calls may be under way.
   */
  constructor(write, { size, lanes = 1 }) {
    this.#write = write;
    this.#size = size;
    this.#lanes = lanes;
  }

  /**
   * Resolves when the entry is written.
   * @param {Entry} entry
   * @returns {Promise<void>}
   */
  add(entry) {
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.push({ entry, resolve, reject });
    if (this.#busy < this.#lanes) {
      this.#busy += 1;
      // A turn of the event loop later, so that what is added together is written together.
      setImmediate(() => void this.#writeAll());
    }
    return promise;
  }

  async #writeAll() {
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0, this.#size));
    this.#busy -= 1;
  }

  /** @param {Waiting<Entry>[]} batch */
  async #writeBatch(batch) {
    try {
      await this.#write(batch.map(({ entry }) => entry));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      // An entry that is refused must not take the others with it.
      if (batch.length > 1 && isRefusal(error)) for (const one of batch) await this.#writeBatch([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

/**
 * Whether the server understood the call and does not do it, so that it would not help to try again.
 * @param {unknown} error
 */
export function isRefusal(error) {
  const { statusCode = 0 } = /** @type {{ statusCode?: number }} */ (error);
  return statusCode >= 400 && statusCode < 500 && statusCode !== 429;
}
