// The queue of one hook in the database: its due deliveries, their results, and when the queue is due again.
import type { Due } from '../jobs/due-store.ts';
import type { Engine } from '../storage/engine.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import type { AttemptRow } from './tables.ts';
import type { HookRef } from './store-queues.ts';
import type { DeliveryOutcome } from './model.ts';
import { paddedBatches } from './padded-batches.ts';

export interface DueDelivery {
  id: string;
  event_id: string;
  attempts: number;
  attempts_before: number;
  expires_at: number;
  body: string;
}

/** Oldest first. */
export async function listDue(
  db: Db,
  { api, hookId }: HookRef,
  now: number,
  limit: number,
): Promise<DueDelivery[]> {
  return await db
    .selectFrom('deliveries')
    .innerJoin('delivery_bodies', 'delivery_bodies.id', 'deliveries.body_id')
    .select(['deliveries.id', 'event_id', 'attempts', 'attempts_before', 'expires_at', 'body'])
    .where('api', '=', api)
    .where('hook_id', '=', hookId)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('seq')
    .limit(limit)
    .execute();
}

async function readNextDue(db: Db, { api, hookId }: HookRef): Promise<number | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .select('due_at')
    .where('api', '=', api)
    .where('hook_id', '=', hookId)
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}

/** The result of one delivery in a round; without an attempt when it expired before. */
export interface DeliveryResult extends DeliveryOutcome {
  id: string;
  attempt?: Omit<AttemptRow, 'delivery_id'>;
  error: string | null;
}

/**
 * Records a round in one transaction, with one statement per group of equal results. It does so even when the lease on
 * the queue is lost, because the deliveries have been sent.
 */
export async function recordResults(
  engine: Engine,
  results: readonly DeliveryResult[],
  now: number,
): Promise<void> {
  await engine.batch(resultStatements(engine.db, results, now));
}

export function resultStatements(db: Db, results: readonly DeliveryResult[], now: number): SqlStatement[] {
  const statements: SqlStatement[] = [];
  const tried = results.flatMap(({ id, attempt }) => (attempt ? [{ delivery_id: id, ...attempt }] : []));
  for (const some of paddedBatches(tried)) {
    statements.push(
      db
        .insertInto('delivery_attempts')
        .values(some)
        .onConflict((conflict) => conflict.columns(['delivery_id', 'number']).doNothing())
        .compile(),
    );
  }
  for (const alike of Map.groupBy(results, keyOf).values()) {
    const { state, dueAt, attempt, error } = alike[0]!;
    const ids = alike.map(({ id }) => id);
    for (const some of paddedBatches(ids)) {
      statements.push(
        db
          .updateTable('deliveries')
          .set((eb) => ({
            state,
            due_at: dueAt,
            finished_at: state === 'pending' ? null : now,
            last_error: error,
            ...(attempt && { attempts: eb('attempts', '+', 1), last_status: attempt.status }),
          }))
          .where('id', 'in', some)
          .where('state', '=', 'pending')
          .compile(),
      );
    }
  }
  // The hook may have been deleted meanwhile.
  for (const some of paddedBatches(tried)) {
    statements.push(
      deleteOrphans(
        db,
        some.map((row) => row.delivery_id),
      ),
    );
  }
  return statements;
}

function keyOf({ state, dueAt, attempt, error }: DeliveryResult): string {
  return JSON.stringify([state, dueAt, error, attempt ? attempt.status : 'none']);
}

/** Attempts whose delivery is gone. */
export function deleteOrphans(db: Db, ids: string[]): SqlStatement {
  return db
    .deleteFrom('delivery_attempts')
    .where('delivery_id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('deliveries.id', '=', 'delivery_attempts.delivery_id'),
        ),
      ),
    )
    .compile();
}

/**
 * Releases the claim on a queue until its next delivery is due, at `notBefore` at the earliest, or deletes the queue when
 * it is empty. When deliveries were added since the payload was read, nothing is written, and the new payload is returned.
 */
export async function settleHookQueue(
  db: Db,
  due: Due,
  { hook, payload, notBefore }: { hook: HookRef; payload: string; notBefore: number },
): Promise<'settled' | 'lost' | { payload: string }> {
  const next = await readNextDue(db, hook);
  const isSettled =
    next === undefined
      ? (
          await db
            .deleteFrom('due')
            .where('id', '=', due.id)
            .where('owner', '=', due.owner)
            .where('payload', '=', payload)
            .executeTakeFirstOrThrow()
        ).numDeletedRows > 0n
      : (
          await db
            .updateTable('due')
            .set({ owner: null, attempts: 0, due_at: Math.max(next, notBefore) })
            .where('id', '=', due.id)
            .where('owner', '=', due.owner)
            .where('payload', '=', payload)
            .executeTakeFirstOrThrow()
        ).numUpdatedRows > 0n;
  if (isSettled) return 'settled';
  const row = await db
    .selectFrom('due')
    .select('payload')
    .where('id', '=', due.id)
    .where('owner', '=', due.owner)
    .executeTakeFirst();
  return row ?? 'lost';
}
