// Measures how fast a client sends or reads while the server waits for it: a slow one must not hold a process of git for ever.

/** A client that moves fewer bytes in a window counts as one that has stopped. */
const MIN_BYTES = 1024;
/** The share of the time in which the server must have waited for the client, and not for git. */
const WAITED_SHARE = 0.9;

export class ClientWatch {
  readonly began: number;
  readonly #now: () => number;
  #windowBegan: number;
  #bytes = 0;
  #waiting = 0;
  #waitingSince = 0;
  #waitedMs = 0;
  #stoppedMs = 0;
  #rate = Infinity;

  constructor(now: () => number) {
    this.#now = now;
    this.began = now();
    this.#windowBegan = this.began;
  }

  /** Bytes per second in the last window; infinite where git was slower than the client. */
  get rate(): number {
    return this.#rate;
  }

  /** How long the client has moved nearly nothing. */
  get stoppedMs(): number {
    return this.#stoppedMs;
  }

  /** Waits for the client. */
  async wait<T>(client: Promise<T>): Promise<T> {
    if (this.#waiting === 0) this.#waitingSince = this.#now();
    this.#waiting += 1;
    try {
      return await client;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#rest(this.#now());
    }
  }

  moved(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Ends the window if it has lasted this long, and measures it. */
  look(now: number, windowMs: number): void {
    const lasted = now - this.#windowBegan;
    if (lasted < windowMs) return;
    if (this.#waiting > 0) this.#rest(now);
    const isSlower = this.#waitedMs >= lasted * WAITED_SHARE;
    this.#rate = isSlower ? (this.#bytes / lasted) * 1000 : Infinity;
    this.#stoppedMs = isSlower && this.#bytes < MIN_BYTES ? this.#stoppedMs + lasted : 0;
    this.#windowBegan = now;
    this.#bytes = 0;
    this.#waitedMs = 0;
  }

  #rest(now: number): void {
    this.#waitedMs += now - this.#waitingSince;
    this.#waitingSince = now;
  }
}
