// Follows the log of a run or a build: reads it from its beginning, goes on while it grows, and takes it up again after the
// connection was lost, at the line where it was.
import { path, type Call } from '../../api/call.ts';
import { openText } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { LogBook } from './log-book.ts';

export type LogState = 'connecting' | 'live' | 'reconnecting' | 'ended' | 'failed';

export interface LogSnapshot {
  state: LogState;
  first: number;
  last: number;
  gapCount: number;
  error?: ApiError;
}

/** Lines that come together are drawn together. */
const BATCH_MS = 100;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8000;

/** With the colours that the program has printed. */
function logStreamCall(id: string): Call {
  return { api: 'actors', path: path`/logs/${id}`, query: { stream: true, raw: true } };
}

export class LogReader {
  readonly book = new LogBook();
  readonly #call: Call;
  readonly #listeners = new Set<() => void>();
  #snapshot: LogSnapshot = { state: 'connecting', first: 1, last: 0, gapCount: 0 };
  #control: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string) {
    this.#call = logStreamCall(id);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): LogSnapshot => this.#snapshot;

  /** Does nothing while it is followed. */
  start(): void {
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await this.#readOnce(signal, () => (failures = 0));
        return this.#show('ended');
      } catch (error) {
        if (signal.aborted) return;
        const isFinal =
          error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
        if (isFinal) return this.#show('failed', error);
        this.#show('reconnecting');
      }
      await pause(Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS), signal);
    }
  }

  /** Ends with the log. Throws where the connection breaks. */
  async #readOnce(signal: AbortSignal, begun: () => void): Promise<void> {
    const stream = (await openText(this.#call, signal)).getReader();
    const take = this.book.replay(this.#snapshot.state === 'reconnecting');
    let rest = '';
    begun();
    this.#show('live');
    for (;;) {
      const { done, value } = await stream.read();
      if (signal.aborted) return;
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      for (const line of lines) take(line);
      this.#showSoon();
    }
    if (rest !== '') take(rest);
  }

  #showSoon(): void {
    this.#timer ??= setTimeout(() => this.#show(this.#snapshot.state), BATCH_MS);
  }

  #show(state: LogState, error?: ApiError): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { first, last, gaps } = this.book;
    this.#snapshot = { state, first, last, gapCount: gaps.length, ...(error !== undefined && { error }) };
    for (const listener of this.#listeners) listener();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      removeEventListener('online', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake, { once: true });
    // The network is back: there is no reason to wait longer.
    addEventListener('online', wake, { once: true });
  });
}
