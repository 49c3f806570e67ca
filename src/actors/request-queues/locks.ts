// Locks on requests: take those at the head, hold one longer, give one or all back.
import { CompiledQuery, sql } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { statementsOf } from './engines.ts';
import type { LockedRow, LockOrder } from './statements.ts';
import { numberOf, queueGone, requestNotFound } from './store.ts';

export interface LockedQueueHead {
  modifiedAt: number;
  hadMultipleClients: boolean;
  hasLocked: boolean;
  items: LockedRow[];
}

/** Locks the first requests that nobody holds. Whoever comes next gets others. */
export async function lockHead(engine: Engine, queueId: string, order: LockOrder): Promise<LockedQueueHead> {
  const locked = await statementsOf(engine).lock(engine, queueId, order);
  if (locked === undefined) throw queueGone();
  const { modifiedAt, hadMultipleClients, rows } = locked;
  const hasLocked = rows.length > 0 || (await hasLockedRequests(engine.db, queueId, order.now));
  return { modifiedAt, hadMultipleClients, hasLocked, items: rows };
}

async function hasLockedRequests(db: Db, queueId: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('queue_requests')
    .select('id')
    .where('queue_no', '=', numberOf(queueId))
    .where('lock_until', '>', now)
    // Says again what the index is about, as neither engine concludes it.
    .where(sql<boolean>`lock_until > 0`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export interface Holder {
  queueId: string;
  id: string;
  client: string;
  now: number;
}

/**
 * Only who locked a request last may hold it longer, and may also after the lock has run out, unless someone else has
 * locked it since. It keeps its place in the queue, or gets the first one.
 */
export async function prolongLock(
  engine: Engine,
  holder: Holder,
  { until, forefront }: { until: number; forefront: boolean },
): Promise<void> {
  const { queueId, id, client } = holder;
  const isDone = forefront
    ? await place(engine, holder, { until, client, sign: -1 })
    : await engine.db
        .updateTable('queue_requests')
        .set({ lock_until: until })
        .where('queue_no', '=', numberOf(queueId))
        .where('id', '=', id)
        .where('order_no', 'is not', null)
        .where('locked_by', '=', client)
        .executeTakeFirstOrThrow()
        .then(({ numUpdatedRows }) => numUpdatedRows > 0n);
  if (isDone) return;
  await demandRequest(engine.db, holder);
  throw heldOrHandled(id);
}

/** Gives a request back, to the end of the queue or to its front. One that nobody holds is left as it is. */
export async function releaseLock(engine: Engine, holder: Holder, forefront: boolean): Promise<void> {
  if (await place(engine, holder, { until: 0, client: null, sign: forefront ? -1 : 1 })) return;
  const { lock_until: lockUntil } = await demandRequest(engine.db, holder);
  if (lockUntil > holder.now) throw heldOrHandled(holder.id);
}

interface Placing {
  until: number;
  client: string | null;
  /** -1 for the front of the queue and 1 for its end. */
  sign: number;
}

const MOVE_ON = `update request_queues set last_order = last_order + 1 where id =`;
const PLACE = {
  sqlite: [
    `${MOVE_ON} ?1`,
    `update queue_requests set lock_until = ?4, locked_by = ?5,
       order_no = ?6 * (select last_order from request_queues where id = ?1)
     where queue_no = (select no from request_queues where id = ?1)
       and id = ?2 and order_no is not null and locked_by = ?3 returning id`,
  ],
  postgres: `with q as (${MOVE_ON} $1 returning no, last_order)
     update queue_requests r set lock_until = $4, locked_by = $5, order_no = $6::int * q.last_order from q
     where r.queue_no = q.no and r.id = $2 and r.order_no is not null and r.locked_by = $3 returning r.id`,
};

/** False when the request is not this client's to place. */
async function place(
  engine: Engine,
  { queueId, id, client }: Holder,
  { until, client: next, sign }: Placing,
): Promise<boolean> {
  const values = [queueId, id, client, until, next, sign];
  if (engine.kind === 'postgres') {
    const { rows } = await engine.db.executeQuery(CompiledQuery.raw(PLACE.postgres, values));
    return rows.length > 0;
  }
  const [moveOn, update] = PLACE.sqlite;
  const [, placed] = await engine.batch([
    CompiledQuery.raw(moveOn!, [queueId]),
    CompiledQuery.raw(update!, values),
  ]);
  return placed!.rows.length > 0;
}

const RELEASE_ALL = {
  sqlite: `update queue_requests set lock_until = 0, locked_by = null
     where queue_no = (select no from request_queues where id = ?1)
       and lock_until > ?2 and lock_until > 0 and locked_by = ?3 returning id`,
  // The queue's row first, as all do who change many requests: so that none waits for another in a circle.
  postgres: `with q as materialized (select no from request_queues where id = $1 for update)
     update queue_requests r set lock_until = 0, locked_by = null from q
     where r.queue_no = q.no and r.lock_until > $2 and r.lock_until > 0 and r.locked_by = $3 returning r.id`,
};

/** Gives back all that the client holds, each to its old place. */
export async function releaseAllLocks(
  { db, kind }: Engine,
  queueId: string,
  client: string,
  now: number,
): Promise<number> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(RELEASE_ALL[kind], [queueId, now, client]));
  return rows.length;
}

async function demandRequest(db: Db, { queueId, id }: Holder) {
  const row = await db
    .selectFrom('queue_requests')
    .select('lock_until')
    .where('queue_no', '=', numberOf(queueId))
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw requestNotFound();
  return row;
}

function heldOrHandled(id: string): Failure {
  return new Failure('conflict', `The request ${id} is handled already, or not locked by this client`, {
    code: 'request-handled-or-locked',
  });
}
