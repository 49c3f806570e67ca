// Notices a client that has stopped sending or reading: it must not hold a process of git for ever.

/** A client that moves fewer bytes while the server waits for it counts as one that has stopped. */
const MIN_BYTES = 1024;
/** The share of the time in which the server must have waited for the client, and not for git. */
const WAITED_SHARE = 0.9;

export class ClientWatch {
  readonly #stallMs: number;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;
  #waiting = 0;
  #waitingSince = 0;
  #waitedMs = 0;

  /** Calls `onStall` when the client has moved nearly nothing for this long; at the latest after twice the time. */
  constructor(stallMs: number, onStall: () => void) {
    this.#stallMs = stallMs;
    this.#timer = setInterval(() => {
      const now = performance.now();
      if (this.#waiting > 0) this.#rest(now);
      const hasStopped = this.#bytes < MIN_BYTES && this.#waitedMs >= this.#stallMs * WAITED_SHARE;
      this.#bytes = 0;
      this.#waitedMs = 0;
      if (hasStopped) onStall();
    }, stallMs);
  }

  /** Waits for the client. */
  async wait<T>(client: Promise<T>): Promise<T> {
    if (this.#waiting === 0) this.#waitingSince = performance.now();
    this.#waiting += 1;
    try {
      return await client;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#rest(performance.now());
    }
  }

  moved(bytes: number): void {
    this.#bytes += bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #rest(now: number): void {
    this.#waitedMs += now - this.#waitingSince;
    this.#waitingSince = now;
  }
}
