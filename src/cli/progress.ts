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

  /** What is under way: the next call replaces it. With a bar, where it is known how much there is. */
  update(name: string, part?: { done: number; total: number }): void {
    const text = part === undefined ? name : `${name}: ${part.done} of ${part.total}`;
    if (this.#io.status !== undefined) {
      this.#io.status(part === undefined ? text : `${bar(part)} ${text}`);
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

const WIDTH = 20;

function bar({ done, total }: { done: number; total: number }): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * WIDTH);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${percent} %`;
}
