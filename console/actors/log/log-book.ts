// The lines of a log that were read, in the order of the log. What is kept is bounded: beyond it, the oldest lines go.
import { isCutNotice, levelOfLine, LEVELS, stampOf, type LogLevel } from './log-line.ts';

/** A stored log has at most 10 MiB; a run that prints more for hours must not fill the memory of the browser. */
const MAX_LINES = 200_000;
const MAX_CHARACTERS = 24_000_000;
/** Dropping a part at once is cheaper than line by line. */
const DROPPED_PART = 8;

/** A place where the connection was lost and found. */
export interface LogGap {
  /** The number of the line before it. */
  after: number;
  at: number;
  /** Whether every line between is there. */
  isWhole: boolean;
}

export class LogBook {
  #lines: string[] = [];
  #levels: number[] = [];
  #characters = 0;
  /** How many lines have gone from the beginning. */
  #dropped = 0;
  readonly gaps: LogGap[] = [];
  readonly counts: Record<LogLevel, number> = { debug: 0, info: 0, warn: 0, error: 0 };
  hasLevels = false;

  /** The number of the first line that is kept. */
  get first(): number {
    return this.#dropped + 1;
  }

  /** The number of the last line; 0 where there is none. */
  get last(): number {
    return this.#dropped + this.#lines.length;
  }

  line(number: number): string | undefined {
    return this.#lines[number - 1 - this.#dropped];
  }

  level(number: number): LogLevel {
    return LEVELS[this.#levels[number - 1 - this.#dropped] ?? 1]!;
  }

  add(raw: string): void {
    const above = LEVELS[this.#levels.at(-1) ?? 1]!;
    const level = levelOfLine(raw, above);
    this.#lines.push(raw);
    this.#levels.push(LEVELS.indexOf(level));
    this.#characters += raw.length;
    this.counts[level] += 1;
    if (level !== 'info') this.hasLevels = true;
    if (this.#lines.length > MAX_LINES || this.#characters > MAX_CHARACTERS) this.#drop();
  }

  #drop(): void {
    const count = Math.ceil(this.#lines.length / DROPPED_PART);
    for (const line of this.#lines.slice(0, count)) this.#characters -= line.length;
    this.#lines = this.#lines.slice(count);
    this.#levels = this.#levels.slice(count);
    this.#dropped += count;
  }

  #addGap(isWhole: boolean): void {
    const gap = { after: this.last, at: Date.now(), isWhole };
    // Where nothing came between two breaks, one mark is enough.
    if (this.gaps.at(-1)?.after === gap.after) this.gaps.pop();
    this.gaps.push(gap);
  }

  /** How many lines at the end have the time of the last one. */
  #countLastMoment(): number {
    const stamp = this.#stampAt(this.last);
    let count = 0;
    while (count < this.#lines.length && this.#stampAt(this.last - count) === stamp) count += 1;
    return count;
  }

  #stampAt(number: number): string | undefined {
    return stampOf(this.line(number) ?? '');
  }

  /** Takes the lines of the log from its beginning again, and adds those that are new. `isBroken` marks the place. */
  replay(isBroken: boolean): (raw: string) => void {
    const known = this.last;
    if (known === 0) return (raw) => this.add(raw);
    const lastStamp = this.#stampAt(known);
    let seen = 0;
    let ofLastMoment = this.#countLastMoment();
    let isCut = false;
    let isCaughtUp = false;
    return (raw) => {
      if (isCaughtUp) return this.add(raw);
      seen += 1;
      // The server has left out the middle since: its lines cannot be counted any more, but their times are in order.
      if (isCutNotice(raw) && seen <= known && this.line(seen) !== raw) isCut = true;
      if (!isCut && seen <= known) return undefined;
      if (isCut) {
        const stamp = stampOf(raw);
        if (isCutNotice(raw)) return undefined;
        if (stamp !== undefined && lastStamp !== undefined && stamp < lastStamp) return undefined;
        if (stamp === lastStamp && ofLastMoment > 0) {
          ofLastMoment -= 1;
          return undefined;
        }
      }
      isCaughtUp = true;
      if (isBroken) this.#addGap(!isCut || ofLastMoment === 0);
      return this.add(raw);
    };
  }
}
