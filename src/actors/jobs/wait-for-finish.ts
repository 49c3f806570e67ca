// Waits until builds or runs finish: all waiting calls of a server share one listener and one query.
import type { Clock } from '../../kernel/clock.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Log } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { STATUS_CHANNELS, type JobKind, isFinished, type JobStatus } from './job.ts';
import { listFinished } from './store-finished.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    finishWaits: FinishWaits;
  }
}

type WaitKernel = Pick<Kernel, 'engine' | 'clock' | 'log'>;

/** Many changes at once cause one query. */
const DEBOUNCE_MS = 10;
/** Notifications may be lost. */
const POLL_MS = 2_000;
const BATCH_SIZE = 500;

/** The longest time that a call may wait, in seconds; a larger number is taken for this one. */
const MAX_WAIT_SECS = 60;

interface Waiter {
  resolve(): void;
  /** By the clock of the server. */
  until: number;
}

/** When the waiting ones of a kind are looked at next. */
interface Look {
  at: number;
  timer?: NodeJS.Timeout;
}

class FinishWaits {
  readonly #db: Db;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #waiting: Record<JobKind, Map<string, Set<Waiter>>> = { build: new Map(), run: new Map() };
  readonly #looks: Record<JobKind, Look> = { build: { at: Infinity }, run: { at: Infinity } };
  readonly #looking = new Set<JobKind>();

  constructor(db: Db, clock: Clock, log: Log) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  /** How many builds and runs are waited for. */
  get size(): number {
    return this.#waiting.build.size + this.#waiting.run.size;
  }

  /** Resolves when it is finished or deleted, when the time is over, or when the caller goes away. */
  async wait(kind: JobKind, id: string, ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted === true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { resolve, until: this.#clock.now() + ms };
    const waiting = this.#waiting[kind];
    const waiters = waiting.get(id) ?? new Set();
    waiting.set(id, waiters.add(waiter));
    // It may have finished before it was in the map.
    this.notice(kind);
    const timer = setTimeout(resolve, ms);
    const onAbort = () => resolve();
    signal?.addEventListener('abort', onAbort, { once: true });
    await promise;
    signal?.removeEventListener('abort', onAbort);
    clearTimeout(timer);
    waiters.delete(waiter);
    if (waiters.size === 0 && waiting.get(id) === waiters) waiting.delete(id);
  }

  notice(kind: JobKind): void {
    if (this.#waiting[kind].size > 0) this.#checkIn(kind, DEBOUNCE_MS);
  }

  /** A look that comes sooner is not put off: a caller who begins to wait again and again would hold up all others. */
  #checkIn(kind: JobKind, ms: number): void {
    const look = this.#looks[kind];
    const at = performance.now() + ms;
    if (look.at <= at) return;
    clearTimeout(look.timer);
    look.at = at;
    look.timer = setTimeout(() => void this.#look(kind), ms).unref();
  }

  /** One at a time: what is noticed meanwhile is looked at next. */
  async #look(kind: JobKind): Promise<void> {
    this.#looks[kind].at = Infinity;
    if (this.#looking.has(kind)) return this.#checkIn(kind, DEBOUNCE_MS);
    this.#looking.add(kind);
    await this.#check(kind);
    this.#looking.delete(kind);
    if (this.#waiting[kind].size > 0) this.#checkIn(kind, POLL_MS);
  }

  async #check(kind: JobKind): Promise<void> {
    const waiting = this.#waiting[kind];
    const ids = [...waiting.keys()];
    try {
      for (let start = 0; start < ids.length; start += BATCH_SIZE) {
        const some = ids.slice(start, start + BATCH_SIZE);
        for (const id of await listFinished(this.#db, kind, some)) {
          for (const { resolve } of waiting.get(id) ?? []) resolve();
        }
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot see which builds and runs have finished');
    }
    const now = this.#clock.now();
    for (const waiters of waiting.values()) {
      for (const { resolve, until } of waiters) if (until <= now) resolve();
    }
  }
}

/** The parameter of every call that may wait. */
export const WAIT_QUERY = {
  waitForFinish: Type.Optional(
    Type.Number({
      description:
        `Seconds to wait for the end. At most ${MAX_WAIT_SECS}: a larger one counts as ${MAX_WAIT_SECS}, and 0 or less does not ` +
        'wait',
    }),
  ),
};

/** A call that may wait. */
export interface WaitCall {
  query: { waitForFinish?: number };
  signal: AbortSignal;
}

/** The build or run when it has finished, or as it is when the time is over. Undefined where it was deleted meanwhile. */
export async function afterWait<T extends { id: string; status: JobStatus }>(
  { services }: Kernel,
  { query: { waitForFinish: seconds }, signal }: WaitCall,
  kind: JobKind,
  job: T,
  find: (id: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (seconds === undefined || !(seconds > 0) || isFinished(job.status)) return job;
  await services.finishWaits.wait(kind, job.id, Math.min(seconds, MAX_WAIT_SECS) * 1000, signal);
  return await find(job.id);
}

export async function openFinishWaits({ engine, clock, log }: WaitKernel): Promise<FinishWaits> {
  const waits = new FinishWaits(engine.db, clock, log);
  await engine.listen(STATUS_CHANNELS.build, () => waits.notice('build'));
  await engine.listen(STATUS_CHANNELS.run, () => waits.notice('run'));
  return waits;
}
