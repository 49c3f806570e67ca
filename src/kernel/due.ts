// Work that waits is a row with a due time: scheduled in a transaction, claimed by exactly one of many processes.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Engine, Log } from './storage/engine.ts';
import type { Migration } from './storage/migrate.ts';
import { noticeOnCommit } from './storage/notices.ts';
import type { Db } from './storage/tables.ts';

declare module './storage/tables.ts' {
  interface Tables {
    due: Due;
  }
}

export interface Due {
  id: string;
  kind: string;
  /** What the handler needs to know, in whatever form it likes. */
  payload: string;
  /** When it may be claimed. A lease is no more than a later due time with an owner. */
  due_at: number;
  /** Who claimed it; unlike that of any other claim, so that a claimer who lost the lease can change nothing. */
  owner: string | null;
  /** How often it has been claimed. */
  attempts: number;
  last_error: string | null;
  created_at: number;
}

/** The channel on which workers hear that there is something to do. */
export const DUE = 'due';

export const dueMigrations: Migration[] = [
  {
    name: 'kernel-due',
    up: () => [
      `create table due (
         id text primary key, kind text not null, payload text not null, due_at bigint not null,
         owner text, attempts integer not null, last_error text, created_at bigint not null)`,
      // The time first: a claim takes the oldest of all its kinds without sorting what is waiting.
      'create index due_at on due (due_at, kind)',
    ],
  },
];

export interface Work {
  id: string;
  kind: string;
  payload: string;
  dueAt: number;
}

/**
 * Belongs into the transaction of the change that makes the work necessary, and wakes the workers when that is committed;
 * outside of one it wakes nobody. There is one row per id: `keep` leaves an earlier one as it is; `move` replaces it, and where it is just
 * being worked on, takes it away from its claimer, so that it is done once more at the new time.
 */
export async function schedule(
  db: Db,
  work: Work,
  now: number,
  earlier: 'keep' | 'move' = 'keep',
): Promise<void> {
  const { id, kind, payload, dueAt } = work;
  const fresh = { kind, payload, due_at: dueAt, owner: null, attempts: 0, last_error: null, created_at: now };
  await db
    .insertInto('due')
    .values({ id, ...fresh })
    .onConflict((on) =>
      earlier === 'keep' ? on.column('id').doNothing() : on.column('id').doUpdateSet(fresh),
    )
    .execute();
  if (db.isTransaction) await wakeWorkers(db);
}

/** When the transaction, which has written to `due`, is committed. */
export async function wakeWorkers(tx: Db): Promise<void> {
  await noticeOnCommit(tx, DUE);
}

export interface Claim {
  kinds: string[];
  /** Who claims: a name no other process has. */
  owner: string;
  leaseMs: number;
  limit: number;
}

let claims = 0;

/** Takes work whose time has come. Nobody else gets it until the lease, unless extended by a heartbeat, is over. */
export async function claim(
  engine: Engine,
  { kinds, owner, leaseMs, limit }: Claim,
  now: number,
): Promise<Due[]> {
  return await engine.db
    .with(
      // Materialised, so that PostgreSQL picks once and never locks more than it takes.
      (cte) => cte('picked').materialized(),
      (db) =>
        db
          .selectFrom('due')
          .select('id')
          .where('kind', 'in', kinds)
          .where('due_at', '<=', now)
          .orderBy('due_at')
          .limit(limit)
          // On SQLite the one writer does this by itself.
          .$if(engine.kind === 'postgres', (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('due')
    .set((eb) => ({
      owner: `${owner}#${++claims}`,
      due_at: now + leaseMs,
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', 'in', (db) => db.selectFrom('picked').select('picked.id'))
    .returningAll()
    .execute();
}

/** Extends the lease. False when the work is no longer the claimer's. */
export async function heartbeat(db: Db, due: Due, leaseMs: number, now: number): Promise<boolean> {
  return await change(db, due, { due_at: now + leaseMs });
}

/** The work is done. False when it is no longer the claimer's: inside a transaction, reason enough to roll back. */
export async function finish(db: Db, due: Due): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('due')
    .where('id', '=', due.id)
    .where('owner', '=', due.owner)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Gives the work back, to be tried again. False when it is no longer the claimer's. */
export async function retry(db: Db, due: Due, dueAt: number, error: string): Promise<boolean> {
  return await change(db, due, { owner: null, due_at: dueAt, last_error: error });
}

/** Gives the work back as if it had never been claimed. */
async function release(db: Db, due: Due, now: number): Promise<boolean> {
  return await change(db, due, { owner: null, due_at: now, attempts: due.attempts - 1 });
}

async function change(db: Db, due: Due, to: Partial<Due>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('due')
    .set(to)
    .where('id', '=', due.id)
    .where('owner', '=', due.owner)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Done when it resolves; tried again later when it throws. It may as well settle the work itself, by `finish` in a
 * transaction with its own changes, or by `retry` or `schedule` for another time.
 */
export type Handler = (due: Due, signal: AbortSignal) => Promise<void>;

export interface WorkerSettings {
  engine: Engine;
  clock: Clock;
  /** Between 0 and 1. */
  random: () => number;
  log: Log;
  /** By kind. */
  handlers: Record<string, Handler>;
  /** A name no other process has, nor had before a restart. */
  owner: string;
  leaseMs?: number;
  /** How many handlers run at the same time. */
  concurrency?: number;
  /** How long `stop` lets handlers finish before their signal fires. */
  graceMs?: number;
}

export interface Worker {
  /** Looks for due work now. */
  poke(): void;
  stop(): Promise<void>;
}

/** How long a worker sleeps at most: notices may be lost, and other processes may have no way to send them. */
const POLL_MS = 5_000;
const SHORTEST_SLEEP_MS = 10;
/** Between a look that found nothing and the next one. */
const REST_MS = 5;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60 * 60 * 1_000;

export async function startWorker(settings: WorkerSettings): Promise<Worker> {
  const { engine, clock, random, log, handlers, owner } = settings;
  const { leaseMs = 30_000, concurrency = 16, graceMs = 10_000 } = settings;
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
      // Whoever changes something pokes: a few thousand pokes a second are not worth as many looks.
      if (performance.now() < restUntil) await delay(restUntil - performance.now());
      if (isStopping) return;
      isPoked = false;
      const sleepMs = await look().catch((error: unknown) => {
        log.error({ err: error }, 'cannot look for due work');
        return POLL_MS;
      });
      if (sleepMs > 0) restUntil = performance.now() + REST_MS;
      if (!isPoked) await sleep(sleepMs);
    }
  }

  /** Starts what is due, and tells how long to sleep. Most looks find nothing, and reading that holds up no writer. */
  async function look(): Promise<number> {
    const free = concurrency - running.size;
    if (kinds.length === 0 || free === 0) return POLL_MS; // the first to end will poke
    const next = await db
      .selectFrom('due')
      .select('due_at')
      .where('kind', 'in', kinds)
      .orderBy('due_at')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return POLL_MS;
    const waitMs = next.due_at - clock.now();
    if (waitMs > 0) return Math.min(Math.max(waitMs, SHORTEST_SLEEP_MS), POLL_MS);
    const claimed = await claim(engine, { kinds, owner, leaseMs, limit: free }, clock.now());
    for (const due of claimed) start(due);
    return claimed.length === 0 ? SHORTEST_SLEEP_MS : 0;
  }

  function start(due: Due): void {
    const controller = new AbortController();
    const done = run(due, controller).finally(() => {
      running.delete(due);
      poke(); // there is a free place, and what it left behind may be due before the sleep is over
    });
    running.set(due, { controller, done });
  }

  async function run(due: Due, controller: AbortController): Promise<void> {
    const beat = setInterval(() => void extend(due, controller), leaseMs / 3).unref();
    try {
      await handlers[due.kind]?.(due, controller.signal);
      await finish(db, due);
    } catch (error) {
      if (controller.signal.aborted) return; // the lease is someone else's by now
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

  const unlisten = await engine.listen(DUE, poke);
  const looping = loop();

  return {
    poke,
    async stop() {
      isStopping = true;
      unlisten();
      poke();
      await looping;
      const ending = Promise.all([...running.values()].map(({ done }) => done));
      await Promise.race([ending, delay(graceMs, undefined, { ref: false })]);
      for (const [due, { controller }] of running) {
        controller.abort(new Error('The server is stopping.'));
        await release(db, due, clock.now()).catch((error: unknown) => {
          log.error({ err: error, due: due.id }, 'cannot give due work back; its lease will expire');
        });
      }
    },
  };
}

/** Twice as long each time, and up to half of it less, so that what failed together does not come back together. */
function backoff(attempts: number, random: number): number {
  return Math.round(Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS) * (1 - random / 2));
}
