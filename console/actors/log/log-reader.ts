// Follows the log of a run or a build: first its end, then what is new, by the numbers of lines; after the connection was lost it
// goes on behind the last line. Earlier lines are read when they are looked at.
import type { Call, QueryValue } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { LogBook, type OmittedLines } from './log-book.ts';
import type { LogLine } from './log-line.ts';

export type LogState = 'connecting' | 'live' | 'reconnecting' | 'ended' | 'failed';

export interface LogSnapshot {
  state: LogState;
  last: number;
  /** Another one for every change. */
  version: number;
  error?: ApiError;
}

export interface LogLinesBody {
  next: number;
  total: number;
  isComplete: boolean;
  gap?: OmittedLines;
  lines: LogLine[];
  matches?: { total: number; numbers: number[]; through: number };
}

export type LinesCall = (query: Readonly<Record<string, QueryValue>>) => Call;

const TAIL = 500;
/** Who is further behind goes to the end, and reads what is between when they look at it. */
const MAX_BEHIND = 2000;
const POLL_MS = 1000;
const HIDDEN_POLL_MS = 10_000;
const MAX_DELAY_MS = 8000;
/** Lines are read in blocks when they are looked at. */
const BLOCK = 250;

export class LogReader {
  readonly book = new LogBook();
  readonly #call: LinesCall;
  readonly #listeners = new Set<() => void>();
  readonly #reading = new Set<number>();
  #snapshot: LogSnapshot = { state: 'connecting', last: 0, version: 0 };
  #control: AbortController | undefined;
  #next: number | undefined;
  #isOver = false;

  constructor(call: LinesCall) {
    this.#call = call;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): LogSnapshot => this.#snapshot;

  /** Follows it. A complete log stays so only where the run or build has ended: one may be resurrected. */
  start(isOver: boolean): void {
    this.#isOver = isOver;
    if (this.#control !== undefined) return;
    const control = new AbortController();
    this.#control = control;
    void this.#follow(control.signal).finally(() => {
      if (this.#control === control) this.#control = undefined;
    });
  }

  stop(): void {
    this.#control?.abort();
    this.#control = undefined;
  }

  /** Reads lines that are looked at and not there. */
  want(from: number, to: number): void {
    for (let block = Math.floor((from - 1) / BLOCK); block * BLOCK < to; block += 1) {
      const first = block * BLOCK + 1;
      if (
        this.#reading.has(block) ||
        !this.#isMissing(Math.max(from, first), Math.min(to, first + BLOCK - 1))
      )
        continue;
      this.#reading.add(block);
      void this.#readBlock(first).finally(() => this.#reading.delete(block));
    }
  }

  #isMissing(from: number, to: number): boolean {
    for (let number = from; number <= Math.min(to, this.book.last); number += 1) {
      if (this.book.line(number) === undefined && !this.book.isOmitted(number)) return true;
    }
    return false;
  }

  async #readBlock(first: number): Promise<void> {
    try {
      const { body } = await send<LogLinesBody>(this.#call({ from: first, to: first + BLOCK - 1 }));
      this.book.put(body.lines);
      this.#show(this.#snapshot.state);
    } catch (error) {
      // It is asked for again when the log changes or is scrolled.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let brokenAfter: number | undefined;
    for (let failures = 0; !signal.aborted;) {
      try {
        const query = this.#next === undefined ? { tail: TAIL } : { after: this.#next };
        const { body } = await send<LogLinesBody>({ ...this.#call(query), isPolled: true }, signal);
        if (signal.aborted) return;
        this.#take(body, brokenAfter);
        failures = 0;
        brokenAfter = undefined;
        const isBehind = body.next < body.total;
        if (body.isComplete && this.#isOver && !isBehind) return this.#show('ended');
        this.#show('live');
        if (!isBehind) await pause(document.hidden ? HIDDEN_POLL_MS : POLL_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        if (isFinal(error)) return this.#show('failed', error);
        brokenAfter ??= this.book.last;
        this.#show('reconnecting');
        failures += 1;
        await pause(Math.min(POLL_MS * 2 ** Math.min(failures - 1, 4), MAX_DELAY_MS), signal);
      }
    }
  }

  #take({ lines, next, total, gap }: LogLinesBody, brokenAfter: number | undefined): void {
    this.book.put(lines);
    this.book.last = total;
    this.book.omitted = gap;
    if (brokenAfter !== undefined && this.#next !== undefined) this.book.addGap(brokenAfter);
    this.#next = total - next > MAX_BEHIND ? undefined : next;
  }

  #show(state: LogState, error?: ApiError): void {
    const { version } = this.#snapshot;
    this.#snapshot = { state, last: this.book.last, version: version + 1, ...(error && { error }) };
    for (const listener of this.#listeners) listener();
  }
}

/** What another try does not mend. */
function isFinal({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake, { once: true });
    // The network is back, or the page is looked at again: there is no reason to wait longer.
    addEventListener('online', wake, { once: true });
    document.addEventListener('visibilitychange', wake, { once: true });
  });
}
