// A worker: claims due rows and passes each to the handler of its kind, several at the same time.
import { setTimeout as delay } from 'node:timers/promises';
import { passCheckpoint } from './checkpoint.ts';
import type { Clock } from '../clock.ts';
import {
  ABANDONED,
  claim,
  DUE,
  DUE_POLL_MS,
  finish,
  heartbeat,
  nextDueAt,
  release,
  retry,
  type Due,
  type DueHandler,
} from './due-store.ts';
import type { Engine, Log } from '../storage/engine.ts';

export interface WorkerSettings {
  engine: Engine;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  log: Log;
  /** By kind. */
  handlers: Record<string, DueHandler>;
  /** A name that no other process has, and that this one did not have before a restart. */
  owner: string;
  leaseMs?: number;
  /** How many handlers run at the same time. */
  concurrency?: number;
  /** The longest sleep: notifications may be lost, and not every process can send them. */
  pollMs?: number;
  /** How long `stop` lets handlers finish before their signal fires. */
  graceMs?: number;
}

/** After a failure, which is an error that nobody caught, what was being worked on counts as work that ended its process. */
export type StopReason = 'orderly' | 'failure';

export interface Worker {
  /** Polls now. */
  poke(): void;
  stop(reason?: StopReason): Promise<void>;
}

const SHORTEST_SLEEP_MS = 10;
/** The pause after a poll that found nothing. */
const REST_MS = 5;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60 * 60 * 1_000;

export async function startWorker(settings: WorkerSettings): Promise<Worker> {
  const { engine, clock, random, log, handlers, owner } = settings;
  const { leaseMs = 30_000, concurrency = 16, graceMs = 10_000, pollMs = DUE_POLL_MS } = settings;
  const { db } = engine;
  const kinds = Object.keys(handlers);
  const running = new Map<Due, { controller: AbortController; done: Promise<void> }>();
  let isStopping = false;
  let isPoked = false;
  let wake = (): void => {};

  const poke = (): void => {
    isPoked = true;
    wake();
  };

  async function loop(): Promise<void> {
    let restUntil = 0;
    while (!isStopping) {
      // Every change pokes: without the pause, thousands of pokes per second would cause as many polls.
      const restMs = restUntil - performance.now();
      if (restMs > 0) await delay(restMs);
      if (isStopping) return;
      isPoked = false;
      const sleepMs = await poll().catch((error: unknown) => {
        log.error({ err: error }, 'cannot look for due work');
        return pollMs;
      });
      if (sleepMs > 0) restUntil = performance.now() + REST_MS;
      if (!isPoked) await sleep(sleepMs);
    }
  }

  /** Starts the due work, and returns how long to sleep. Most polls find nothing, so they read first: that blocks no writer. */
  async function poll(): Promise<number> {
    const free = concurrency - running.size;
    if (kinds.length === 0 || free === 0) return pollMs; // the first handler to end pokes
    const dueAt = await nextDueAt(db, kinds);
    if (dueAt === undefined) return pollMs;
    const waitMs = dueAt - clock.now();
    if (waitMs > 0) return Math.min(Math.max(waitMs, SHORTEST_SLEEP_MS), pollMs);
    // The stop may have begun while the time was read.
    if (isStopping) return 0;
    const claimed = await claim(engine, { kinds, owner, leaseMs, limit: free }, clock.now());
    for (const due of claimed) start(due);
    return claimed.length === 0 ? SHORTEST_SLEEP_MS : 0;
  }

  function start(due: Due): void {
    passCheckpoint(`claimed ${due.kind}`);
    const controller = new AbortController();
    const done = run(due, controller).finally(() => {
      running.delete(due);
      poke(); // a slot is free, and a row that the handler scheduled may be due before the sleep ends
    });
    running.set(due, { controller, done });
  }

  /** Work that has ended its process again and again starts later each time: nothing is lost, and the server can serve. */
  async function delayed(due: Due): Promise<boolean> {
    if (due.last_error !== ABANDONED || due.attempts < 3) return false;
    const dueAt = clock.now() + backoff(due.attempts, random());
    log.warn(
      { due: due.id, kind: due.kind, attempts: due.attempts },
      'due work ended its process, and waits',
    );
    await retry(db, due, dueAt, 'The process that worked on it ended.');
    return true;
  }

  async function run(due: Due, controller: AbortController): Promise<void> {
    const beat = setInterval(() => void extend(due, controller), leaseMs / 3).unref();
    try {
      if (await delayed(due)) return;
      await handlers[due.kind]?.(due, controller.signal);
      // One that was aborted has not done everything, though it ends without an error.
      if (!controller.signal.aborted) await finish(db, due);
    } catch (error) {
      if (controller.signal.aborted) return; // the lease was lost
      log.warn({ err: error, due: due.id, kind: due.kind, attempts: due.attempts }, 'due work failed');
      const dueAt = clock.now() + backoff(due.attempts, random());
      await retry(db, due, dueAt, String(error)).catch((cause: unknown) => {
        log.error({ err: cause, due: due.id }, 'cannot give due work back; its lease will expire');
      });
    } finally {
      clearInterval(beat);
    }
  }

  async function extend(due: Due, controller: AbortController): Promise<void> {
    const now = clock.now();
    try {
      if (await heartbeat(db, due, leaseMs, now)) due.due_at = now + leaseMs;
      else controller.abort(new Error('The lease was lost.'));
    } catch (error) {
      log.warn({ err: error, due: due.id }, 'cannot extend a lease');
      if (clock.now() >= due.due_at) controller.abort(new Error('The lease could not be extended.'));
    }
  }

  function sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    wake = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  // Without a kind there may be work of any.
  const unlisten = await engine.listen(DUE, (kind) => {
    if (kind === undefined || kind in handlers) poke();
  });
  const looping = loop();

  return {
    poke,
    async stop(reason = 'orderly') {
      isStopping = true;
      unlisten();
      poke();
      await looping;
      const ending = Promise.all([...running.values()].map(({ done }) => done));
      await Promise.race([ending, delay(graceMs, undefined, { ref: false })]);
      for (const [due, { controller }] of running) {
        controller.abort(new Error('The server is stopping.'));
        if (reason === 'failure') continue;
        await release(db, due, clock.now()).catch((error: unknown) => {
          log.error({ err: error, due: due.id }, 'cannot give due work back; its lease will expire');
        });
      }
    },
  };
}

/** Doubles each time, minus up to half at random, so that work that failed together is not retried together. */
function backoff(attempts: number, random: number): number {
  return Math.round(Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS) * (1 - random / 2));
}
