// Counts in memory, and writes the sums behind the calls: a write for each call would cost more.

const SAVE_MS = 1000;

export interface CounterSettings<Sum> {
  write(sums: Map<string, Sum>): Promise<unknown>;
  /** What could not be written is lost: figures are not worth a call. */
  onError(error: unknown): void;
}

export class BufferedCounter<Sum> {
  readonly #settings: CounterSettings<Sum>;
  #pending = new Map<string, Sum>();
  /** What is being written; those that come after wait for it. */
  #saving: Promise<void> = Promise.resolve();

  constructor(settings: CounterSettings<Sum>) {
    this.#settings = settings;
  }

  /** The sum of this key that is not written yet, to be added to. */
  sumOf(key: string, zero: () => Sum): Sum {
    if (this.#pending.size === 0) setTimeout(() => void this.save(), SAVE_MS).unref();
    let sum = this.#pending.get(key);
    if (sum === undefined) this.#pending.set(key, (sum = zero()));
    return sum;
  }

  /** After this the database has all that was counted before. It does not fail. */
  save(): Promise<void> {
    const pending = this.#pending;
    if (pending.size === 0) return this.#saving;
    this.#pending = new Map();
    const { write, onError } = this.#settings;
    this.#saving = this.#saving.then(() => write(pending)).then(() => {}, onError);
    return this.#saving;
  }
}
