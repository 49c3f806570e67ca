// The queue of one hook in the database: its due deliveries, their results, and when the queue is due again.
import { sql } from 'kysely';
import { Failure } from '../failure.ts';
import { dueLeases, type Due } from '../jobs/due-store.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import { paddedBatches } from '../collections/chunk.ts';
import type { DeliveryOutcome, DueDelivery } from './policy.ts';
import type { Attempt } from './send.ts';
import type { AttemptRow, HookRef } from './tables.ts';

/** Deliveries read together, and the characters of their bodies: a few long ones would take too much memory. */
const BATCH_SIZE = 32;
const BATCH_LENGTH = 1024 * 1024;
/** Bodies up to this length are read with their rows: a whole batch of them is not too long. */
const SHORT_BODY = BATCH_LENGTH / BATCH_SIZE;

/** Oldest first, without those that are being sent. */
export async function listDue(
  db: Db,
  { api, hookId }: HookRef,
  { now, sending }: { now: number; sending: readonly string[] },
): Promise<DueDelivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('delivery_bodies', 'delivery_bodies.id', 'deliveries.body_id')
    .select([
      'deliveries.id',
      'hook_id',
      'event_id',
      'owner_id',
      'attempts',
      'attempts_before',
      'expires_at',
      'details',
      'body_id',
    ])
    .select(({ fn }) => [
      fn<number>('length', ['body']).as('length'),
      sql<string | null>`case when length(body) <= ${sql.lit(SHORT_BODY)} then body end`.as('short_body'),
    ])
    .where('api', '=', api)
    .where('hook_id', '=', hookId)
    .where('due_at', '<=', now)
    .$if(sending.length > 0, (query) => query.where('deliveries.id', 'not in', sending))
    .orderBy('due_at')
    .orderBy('seq')
    .limit(BATCH_SIZE)
    .execute();
  let left = BATCH_LENGTH;
  const fitting = rows.filter((row, index) => (left -= row.length) >= 0 || index === 0);
  const longBodies = await listBodies(
    db,
    fitting.flatMap((row) => (row.short_body === null ? row.body_id : [])),
  );
  return fitting.flatMap((row) => {
    const body = row.short_body ?? longBodies.get(row.body_id);
    // Deleted with its webhook meanwhile.
    if (body === undefined) return [];
    return [
      {
        id: row.id,
        hookId: row.hook_id,
        eventId: row.event_id,
        ownerId: row.owner_id,
        attempts: row.attempts,
        attemptsBefore: row.attempts_before,
        expiresAt: row.expires_at,
        details: row.details ?? '{}',
        body,
      },
    ];
  });
}

async function listBodies(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('delivery_bodies')
    .select(['id', 'body'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, body }) => [id, body]));
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

/** The result of one delivery; without an attempt when it expired before. */
export interface DeliveryResult extends DeliveryOutcome {
  id: string;
  attempt?: Omit<AttemptRow, 'delivery_id'>;
  error: string | null;
}

/**
 * For one transaction, with one statement per group of equal results. They are recorded even when the lease on the queue is
 * lost, because the deliveries have been sent.
 */
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

/** In a transaction that does what the delivery asks for. Throws where that was done before. */
export async function markDelivered(
  tx: Db,
  { id, attempts }: DueDelivery,
  attempt: Attempt,
  now: number,
): Promise<void> {
  const { status, error, durationMs, response } = attempt;
  const { numUpdatedRows } = await tx
    .updateTable('deliveries')
    .set({
      state: 'delivered',
      due_at: null,
      finished_at: now,
      attempts: attempts + 1,
      last_status: status,
      last_error: error,
    })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Failure('conflict', 'The dispatch has been delivered already.');
  const at = now - durationMs;
  await tx
    .insertInto('delivery_attempts')
    .values({
      delivery_id: id,
      number: attempts + 1,
      at,
      status,
      error,
      duration_ms: durationMs,
      response,
      details: null,
      phases: showPhases(attempt),
    })
    .onConflict((conflict) => conflict.columns(['delivery_id', 'number']).doNothing())
    .execute();
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
            .where(dueLeases.heldBy(due))
            .where('payload', '=', payload)
            .executeTakeFirstOrThrow()
        ).numDeletedRows > 0n
      : (
          await db
            .updateTable('due')
            .set({ owner: null, attempts: 0, due_at: Math.max(next, notBefore) })
            .where(dueLeases.heldBy(due))
            .where('payload', '=', payload)
            .executeTakeFirstOrThrow()
        ).numUpdatedRows > 0n;
  if (isSettled) return 'settled';
  const row = await db.selectFrom('due').select('payload').where(dueLeases.heldBy(due)).executeTakeFirst();
  return row ?? 'lost';
}

/** The marks of queues, by id: a mark changes whenever deliveries are added. */
export async function listQueueMarks(db: Db, queueIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom('due').select(['id', 'payload']).where('id', 'in', queueIds).execute();
  return new Map(rows.map(({ id, payload }) => [id, payload]));
}

/** As a row has them. */
export function showPhases({ phases }: Pick<Attempt, 'phases'>): string | null {
  return phases === undefined || Object.keys(phases).length === 0 ? null : JSON.stringify(phases);
}
