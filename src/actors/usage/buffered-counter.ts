// Sums up counts in memory and writes them once a second, because a write for each call would cost too much.

const SAVE_INTERVAL_MS = 1000;

export interface CounterSettings<Sum> {
  write(sums: Map<string, Sum>): Promise<unknown>;
  /** Sums that could not be written are lost: a call must not fail because of statistics. */
  onError(error: unknown): void;
}

export class BufferedCounter<Sum> {
  readonly #settings: CounterSettings<Sum>;
  #pending = new Map<string, Sum>();
  /** The write in progress; later ones wait for it. */
  #saving: Promise<void> = Promise.resolve();

  constructor(settings: CounterSettings<Sum>) {
    this.#settings = settings;
  }

  /** The pending sum of this key, which the caller adds to. */
  sumOf(key: string, zero: () => Sum): Sum {
    if (this.#pending.size === 0) setTimeout(() => void this.save(), SAVE_INTERVAL_MS).unref();
    let sum = this.#pending.get(key);
    if (sum === undefined) this.#pending.set(key, (sum = zero()));
    return sum;
  }

  /** Resolves when everything counted before has been written. It never rejects. */
  save(): Promise<void> {
    const pending = this.#pending;
    if (pending.size === 0) return this.#saving;
    this.#pending = new Map();
    const { write, onError } = this.#settings;
    this.#saving = this.#saving.then(() => write(pending)).then(() => {}, onError);
    return this.#saving;
  }
}
