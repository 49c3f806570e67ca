// The lines of a log that were read, by their numbers. What is kept is bounded: what was read longest ago goes, and is read again
// when it is looked at.
import type { LogLine } from './log-line.ts';

const MAX_LINES = 20_000;

/** A place where the connection was lost and found. */
export interface LogGap {
  /** The number of the line before it. */
  after: number;
  at: number;
  /** Whether the server has every line between. */
  isWhole: boolean;
}

/** What the server has left out of the middle of a long log. */
export interface OmittedLines {
  first: number;
  /** Smaller than `first` where it is not known how many lines there were. */
  last: number;
  bytes: number;
}

export class LogBook {
  readonly #lines = new Map<number, LogLine>();
  readonly gaps: LogGap[] = [];
  /** How many lines the log has had, with those that were left out. */
  last = 0;
  omitted: OmittedLines | undefined;
  hasLevels = false;

  line(number: number): LogLine | undefined {
    return this.#lines.get(number);
  }

  put(lines: readonly LogLine[]): void {
    for (const line of lines) {
      // At the end of the order: the oldest stand first.
      this.#lines.delete(line.number);
      this.#lines.set(line.number, line);
      if (line.level !== undefined) this.hasLevels = true;
    }
    for (const number of this.#lines.keys()) {
      if (this.#lines.size <= MAX_LINES) return;
      this.#lines.delete(number);
    }
  }

  addGap(after: number): void {
    const isWhole = this.omitted === undefined || this.omitted.last <= after;
    // Where nothing came between two breaks, one mark is enough.
    if (this.gaps.at(-1)?.after === after) this.gaps.pop();
    this.gaps.push({ after, at: Date.now(), isWhole });
  }

  isOmitted(number: number): boolean {
    const { first, last } = this.omitted ?? { first: 1, last: 0 };
    return number >= first && number <= last;
  }
}
