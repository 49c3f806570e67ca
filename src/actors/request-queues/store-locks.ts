// Locks on requests: take those at the head, hold one longer, give one or all back.
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { statementsOf } from './engines.ts';
import type { Holder, LockedRow, LockOrder } from './statements.ts';
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
    ? await statementsOf(engine).place(engine, holder, { until, nextClient: client, sign: -1 })
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
  const placing = { until: 0, nextClient: null, sign: forefront ? -1 : 1 } as const;
  if (await statementsOf(engine).place(engine, holder, placing)) return;
  const { lock_until: lockUntil } = await demandRequest(engine.db, holder);
  if (lockUntil > holder.now) throw heldOrHandled(holder.id);
}

/** Gives back all that the client holds, each to its old place. Answers with how many. */
export function releaseAllLocks(
  engine: Engine,
  queueId: string,
  client: string,
  now: number,
): Promise<number> {
  return statementsOf(engine).releaseAll(engine, queueId, client, now);
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
