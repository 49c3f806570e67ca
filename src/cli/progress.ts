// Shows how far long work is: on a terminal a line that changes, otherwise a line from time to time.
import type { Io } from './io.ts';

/** Without a terminal, at most one line about the same thing in this time. */
const PLAIN_INTERVAL_MS = 10_000;

export class Progress {
  readonly #io: Io;
  readonly #now: () => number;
  #shownAt: number;
  #isShown = false;

  constructor(io: Io, now: () => number = Date.now) {
    this.#io = io;
    this.#now = now;
    this.#shownAt = now();
  }

  /** A line that stays. */
  line(text: string): void {
    this.#clear();
    this.#io.err(text);
    this.#shownAt = this.#now();
  }

  /** What is under way: the next call replaces it. */
  update(text: string): void {
    if (this.#io.status !== undefined) {
      this.#io.status(text);
      this.#isShown = true;
    } else if (this.#now() - this.#shownAt >= PLAIN_INTERVAL_MS) {
      this.line(text);
    }
  }

  end(): void {
    this.#clear();
  }

  #clear(): void {
    if (this.#isShown) this.#io.status?.('');
    this.#isShown = false;
  }
}
