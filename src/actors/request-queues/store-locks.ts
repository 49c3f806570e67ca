// Locks on requests: lock the head, extend one lock, release one or all.
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { statementsOf } from './engine-statements.ts';
import type { LockHolder, LockedRow, LockParameters } from './statements.ts';
import { numberOf, queueNotFound, requestNotFound } from './store.ts';

export interface LockResult {
  modifiedAt: number;
  hadMultipleClients: boolean;
  hasLocked: boolean;
  items: LockedRow[];
}

/** Locks the first requests without a lock, so that no two clients get the same one. */
export async function lockHead(
  engine: Engine,
  queueId: string,
  parameters: LockParameters,
): Promise<LockResult> {
  const locked = await statementsOf(engine).lock(engine, queueId, parameters);
  if (locked === undefined) throw queueNotFound();
  const { modifiedAt, hadMultipleClients, rows } = locked;
  const hasLocked = rows.length > 0 || (await hasLockedRequests(engine.db, queueId, parameters.now));
  return { modifiedAt, hadMultipleClients, hasLocked, items: rows };
}

async function hasLockedRequests(db: Db, queueId: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('queue_requests')
    .select('id')
    .where('queue_no', '=', numberOf(queueId))
    .where('lock_until', '>', now)
    // Repeats the condition of the partial index, which neither engine derives from the one above.
    .where(sql<boolean>`lock_until > 0`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Only the client that locked a request last may extend the lock, even after it expired, unless another client has locked
 * the request since. The request keeps its place in the queue, or with `forefront` gets the first one.
 */
export async function extendLock(
  engine: Engine,
  holder: LockHolder,
  { until, forefront }: { until: number; forefront: boolean },
): Promise<void> {
  const { queueId, id, client } = holder;
  const isDone = forefront
    ? await statementsOf(engine).updateLock(engine, holder, { until, nextClient: client, signMessage: -1 })
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
  await requireRequest(engine.db, holder);
  throw heldOrHandled(id);
}

/** Releases the lock and moves the request to the end of the queue or to its front. Without a lock nothing changes. */
export async function releaseLock(engine: Engine, holder: LockHolder, forefront: boolean): Promise<void> {
  const update = { until: 0, nextClient: null, signMessage: forefront ? -1 : 1 } as const;
  if (await statementsOf(engine).updateLock(engine, holder, update)) return;
  const { lock_until: lockUntil } = await requireRequest(engine.db, holder);
  if (lockUntil > holder.now) throw heldOrHandled(holder.id);
}

/** Releases all locks of the client, and returns how many; the requests keep their places. */
export function releaseAllLocks(
  engine: Engine,
  queueId: string,
  client: string,
  now: number,
): Promise<number> {
  return statementsOf(engine).releaseLocks(engine, queueId, client, now);
}

async function requireRequest(db: Db, { queueId, id }: Pick<LockHolder, 'queueId' | 'id'>) {
  const row = await db
    .selectFrom('queue_requests')
    .select('lock_until')
    .where('queue_no', '=', numberOf(queueId))
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw requestNotFound();
  return row;
}

/** For a request that was not deleted: it is locked by another client, or not there. */
export async function explainStayed(db: Db, request: Pick<LockHolder, 'queueId' | 'id'>): Promise<Failure> {
  await requireRequest(db, request);
  return heldOrHandled(request.id);
}

function heldOrHandled(id: string): Failure {
  return new Failure('conflict', `The request ${id} is handled already, or not locked by this client`, {
    code: 'request-handled-or-locked',
  });
}
