// Due work as rows with a due time: scheduled in a transaction, and claimed by exactly one of several processes. ADR 0006.
import { sql, type CompiledQuery } from 'kysely';
import type { Engine } from '../storage/engine.ts';
import type { Migration } from '../storage/migrate.ts';
import { notifyOnCommit } from '../storage/notify-on-commit.ts';
import type { Db } from '../storage/tables.ts';
import { leasesOf, newOwner } from './lease-store.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    due: Due;
  }
}

export interface Due {
  id: string;
  kind: string;
  /** The handler's input, in its own format. */
  payload: string;
  /** When it may be claimed. A lease is a later due time with an owner. */
  due_at: number;
  /** The claim that holds it. */
  owner: string | null;
  /** How often it has been claimed. */
  attempts: number;
  last_error: string | null;
  created_at: number;
}

/** The channel that wakes the workers. */
export const DUE = 'due';

export const dueMigrations: Migration[] = [
  {
    name: 'kernel-due',
    up: ({ text }) => [
      `create table due (
         id ${text} primary key, kind ${text} not null, payload ${text} not null, due_at bigint not null,
         owner ${text}, attempts integer not null, last_error ${text}, created_at bigint not null)`,
      // By time first: a claim takes the oldest rows of all its kinds without sorting.
      'create index due_at on due (due_at, kind)',
    ],
  },
];

export interface DueWork {
  id: string;
  kind: string;
  payload: string;
  dueAt: number;
}

/**
 * Belongs into the transaction of the change that causes the work, whose commit wakes the workers; outside of one it wakes
 * none. There is one row per id: `keep` leaves an earlier one unchanged; `move` replaces it and, if it is being worked on,
 * revokes the claim, so that it runs again at the new time; `advance` changes only one that is due later and not being
 * worked on.
 */
export async function schedule(
  db: Db,
  work: DueWork,
  now: number,
  earlier: 'keep' | 'move' | 'advance' = 'keep',
): Promise<void> {
  await db.executeQuery(scheduleStatement(db, work, now, earlier));
  if (db.isTransaction && work.dueAt < now + DUE_POLL_MS) await wakeWorkers(db, work.kind);
}

/** As `schedule`, for `executeAll`. Wakes no workers, so that it is for what is due after `DUE_POLL_MS`. */
export function scheduleStatement(
  db: Db,
  { id, kind, payload, dueAt }: DueWork,
  now: number,
  earlier: 'keep' | 'move' | 'advance' = 'keep',
): CompiledQuery {
  const fresh = { kind, payload, due_at: dueAt, owner: null, attempts: 0, last_error: null, created_at: now };
  return db
    .insertInto('due')
    .values({ id, ...fresh })
    .onConflict((tx) => {
      const same = tx.column('id');
      if (earlier === 'keep') return same.doNothing();
      if (earlier === 'move') return same.doUpdateSet(fresh);
      return same
        .doUpdateSet({ due_at: dueAt })
        .where('due.owner', 'is', null)
        .where('due.due_at', '>', dueAt);
    })
    .compile();
}

/** Workers look for work at least so often: what is due later wakes none of them. */
export const DUE_POLL_MS = 5_000;

/** Wakes the workers of the kind, or of all kinds, when the transaction, which has written to `due`, is committed. */
export async function wakeWorkers(tx: Db, kind?: string): Promise<void> {
  await notifyOnCommit(tx, DUE, kind);
}

export interface Claim {
  kinds: string[];
  /** The claiming process: a name that no other process has. */
  owner: string;
  leaseMs: number;
  limit: number;
}

export const dueLeases = leasesOf('due', { until: 'due_at', claims: 'attempts' });

/** The error of a row whose claimer has neither finished nor released it: its process has probably ended. */
export const ABANDONED = 'abandoned';

/** Claims due rows. Until the lease expires, unless a heartbeat extends it, no other process can claim them. */
export async function claim(
  engine: Engine,
  { kinds, owner, leaseMs, limit }: Claim,
  now: number,
): Promise<Due[]> {
  const picking = engine.db.with(
    // Materialised, so that PostgreSQL selects once and locks only the selected rows.
    (cte) => cte('picked').materialized(),
    (db) =>
      db
        .selectFrom('due')
        .select('id')
        .where('kind', 'in', kinds)
        .where('due_at', '<=', now)
        .orderBy('due_at')
        // Written out: with a parameter PostgreSQL expects a tenth of the table, and plans for that anew each time.
        .limit(sql.lit(limit))
        .forUpdate()
        .skipLocked(),
  );
  return await dueLeases
    .claim(picking, newOwner(`${owner}#`), now + leaseMs)
    .set((eb) => ({
      last_error: eb.case().when('owner', 'is not', null).then(ABANDONED).else(eb.ref('last_error')).end(),
    }))
    .where('id', 'in', (db) => db.selectFrom('picked').select('picked.id'))
    .returningAll()
    .execute();
}

/** Extends the lease. False if the claim was lost. */
export async function heartbeat(db: Db, due: Due, leaseMs: number, now: number): Promise<boolean> {
  return await dueLeases.change(db, due, { due_at: now + leaseMs });
}

/** Deletes the finished row. False if the claim was lost: a transaction should then roll back. */
export async function finish(db: Db, due: Due): Promise<boolean> {
  return await dueLeases.finish(db, due);
}

/** Deletes the row, also one that is claimed: the work is done, or is not to be done. */
export async function cancel(db: Db, id: string): Promise<void> {
  await db.executeQuery(cancelStatement(db, id));
}

/** As `cancel`, for `executeAll`. */
export function cancelStatement(db: Db, id: string): CompiledQuery {
  return db.deleteFrom('due').where('id', '=', id).compile();
}

/** Whether it waits, or is being done. */
export async function isPlanned(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('due').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Whether work waits, or is being done, whose id begins so. `prefix` ends with a colon. */
export async function hasWorkBelow(db: Db, prefix: string): Promise<boolean> {
  const row = await workBelow(db, prefix).select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** The payloads of the work that waits, or is being done, whose id begins so: of `limit` pieces at most. `prefix` ends with a colon. */
export async function listWorkBelow(db: Db, prefix: string, limit: number): Promise<string[]> {
  const rows = await workBelow(db, prefix).select('payload').limit(limit).execute();
  return rows.map(({ payload }) => payload);
}

function workBelow(db: Db, prefix: string) {
  // The character after the colon.
  return db
    .selectFrom('due')
    .where('id', '>=', prefix)
    .where('id', '<', `${prefix.slice(0, -1)};`);
}

/** Releases the row for a retry. False if the claim was lost. */
export async function retry(db: Db, due: Due, dueAt: number, error: string): Promise<boolean> {
  return await dueLeases.release(db, due, { due_at: dueAt, last_error: error });
}

/** Releases the row as if it had never been claimed. */
export async function release(db: Db, due: Due, now: number): Promise<boolean> {
  return await dueLeases.release(db, due, { due_at: now, attempts: due.attempts - 1 });
}

/** When the next row of these kinds becomes due, or its lease expires. */
export async function nextDueAt(db: Db, kinds: readonly string[]): Promise<number | undefined> {
  const next = await db
    .selectFrom('due')
    .select('due_at')
    .where('kind', 'in', kinds)
    .orderBy('due_at')
    .limit(sql.lit(1))
    .executeTakeFirst();
  return next?.due_at;
}

/** The rows that are due first, without what they are about. */
export async function listFirstDue(
  db: Db,
  limit: number,
): Promise<Pick<Due, 'kind' | 'due_at' | 'owner' | 'last_error'>[]> {
  return await db
    .selectFrom('due')
    .select(['kind', 'due_at', 'owner', 'last_error'])
    .where('due_at', '>=', 0)
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

/** The number of leases that expired before that time and have not been claimed since. */
export async function countStuck(db: Db, before: number): Promise<number> {
  const { stuck } = await db
    .selectFrom('due')
    .select(({ fn }) => fn.countAll<number>().as('stuck'))
    .where(dueLeases.expired(before))
    .executeTakeFirstOrThrow();
  return stuck;
}

/** Releases the leases that `countStuck` counts, and returns their number. */
export async function releaseStuck(engine: Engine, before: number): Promise<bigint> {
  const { numUpdatedRows } = await engine.db
    .updateTable('due')
    .set({ owner: null })
    .where(dueLeases.expired(before))
    .executeTakeFirstOrThrow();
  await engine.notify(DUE);
  return numUpdatedRows;
}

/**
 * The work is done when it resolves, and retried later when it throws. It may also settle the row itself: by `finish` in a
 * transaction with its own changes, or by `retry` or `schedule` for another time.
 */
export type DueHandler = (due: Due, signal: AbortSignal) => Promise<void>;
