// Webhook deliveries: inserted in the transaction of their change, listed, redelivered, deleted with their hook.
import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { schedule, wakeWorkers } from '../jobs/due-store.ts';
import { Failure } from '../failure.ts';
import type { Slice } from '../http/reply/page.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import { executeAll } from '../storage/execute-all.ts';
import { GIVE_UP_MS } from './model.ts';
import {
  bodyIds,
  bodyStatements,
  hookQueueStatements,
  pendingStatements,
  type HookRef,
} from './store-queues.ts';
import type { DeliveryRow, DeliveryState } from './tables.ts';

/** One event for one hook. */
export interface OutgoingDelivery {
  /** The name of the API's protocol. */
  api: string;
  hookId: string;
  eventId: string;
  body: string;
}

export const REMOVE_DELIVERIES = 'webhook.drop';

/**
 * To be called at the end of the transaction, as it locks the hooks' queues until the commit. An event is enqueued once
 * per hook.
 */
export async function enqueueDeliveries(
  tx: Db,
  outgoing: readonly OutgoingDelivery[],
  now: number,
): Promise<void> {
  await executeAll(tx, deliveryStatements(tx, outgoing, now));
  await wakeWorkers(tx);
}

/** The same as statements, to be sent with others. The code that commits them must wake the workers. */
export function deliveryStatements(
  db: Db,
  outgoing: readonly OutgoingDelivery[],
  now: number,
): SqlStatement[] {
  const bodies = bodyIds(outgoing, now);
  const rows = outgoing.map(({ api, hookId, eventId, body }) => ({
    id: deliveryIdOf(api, hookId, eventId),
    api,
    hook_id: hookId,
    event_id: eventId,
    body_id: bodies.get(body)!,
    expires_at: now + GIVE_UP_MS,
  }));
  return [
    ...pendingStatements(db, rows, now),
    ...bodyStatements(db, bodies, now),
    ...hookQueueStatements(db, outgoing, now),
  ];
}

function deliveryIdOf(...names: string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 24);
}

export interface WebhookDelivery {
  /** The id that receivers see; the same for each attempt. */
  id: string;
  /** The same as a number. */
  number: number;
  api: string;
  hookId: string;
  eventId: string;
  state: DeliveryState;
  attempts: number;
  /** When the next attempt is due, if there is one. */
  dueAt: number | null;
  createdAt: number;
  finishedAt: number | null;
  /** Of the last attempt. */
  status: number | null;
  error: string | null;
}

/** Newest first. */
export async function listDeliveries(
  db: Db,
  { api, hookId }: HookRef,
  { offset, limit }: Slice,
): Promise<{ items: WebhookDelivery[]; total: number }> {
  const listed = db.selectFrom('deliveries').where('api', '=', api).where('hook_id', '=', hookId);
  const rows = await listed.selectAll().orderBy('seq', 'desc').limit(limit).offset(offset).execute();
  const { total } = await listed
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items: rows.map(deliveryOf), total };
}

/** How the newest deliveries of a hook went. */
export interface DeliverySummaries {
  delivered: number;
  failed: number;
  lastDeliveredAt?: number;
  /** The newest first. */
  errors: { status: number | null; error: string | null; at: number }[];
}

const SUMMARIZED = 1000;
const SHOWN_ERRORS = 10;

export async function summarizeDeliveries(db: Db, { api, hookId }: HookRef): Promise<DeliverySummaries> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['state', 'attempts', 'last_status', 'last_error', 'created_at', 'finished_at'])
    .where('api', '=', api)
    .where('hook_id', '=', hookId)
    .orderBy('seq', 'desc')
    .limit(SUMMARIZED)
    .execute();
  const delivered = rows.filter(({ state }) => state === 'delivered');
  const last = delivered[0]?.finished_at;
  // One that will be tried again counts as an error for now.
  const failed = rows.filter(({ state, attempts }) => state !== 'delivered' && attempts > 0);
  return {
    delivered: delivered.length,
    failed: failed.length,
    ...(last != null && { lastDeliveredAt: last }),
    errors: failed.slice(0, SHOWN_ERRORS).map((row) => ({
      status: row.last_status,
      error: row.last_error,
      at: row.finished_at ?? row.created_at,
    })),
  };
}

export interface DeliveryDetails extends WebhookDelivery {
  body: string;
  /** Oldest first. */
  history: PastAttempt[];
}

export interface PastAttempt {
  number: number;
  at: number;
  status: number | null;
  error: string | null;
  durationMs: number;
  /** The first bytes of the answer. */
  response: string;
}

export async function findWebhookDelivery(db: Db, id: string): Promise<DeliveryDetails | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .innerJoin('delivery_bodies', 'delivery_bodies.id', 'deliveries.body_id')
    .selectAll('deliveries')
    .select('delivery_bodies.body')
    .where('deliveries.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const attempts = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', '=', id)
    .orderBy('number')
    .execute();
  const history = attempts.map(({ number, at, status, error, duration_ms: durationMs, response }) => ({
    number,
    at,
    status,
    error,
    durationMs,
    response,
  }));
  return { ...deliveryOf(row), body: row.body, history };
}

/** Sends it again under the same id, with a full set of attempts. */
export async function redeliver(tx: Db, id: string, now: number): Promise<WebhookDelivery> {
  const row = await tx
    .updateTable('deliveries')
    .set(({ ref }) => ({
      state: 'pending' as const,
      attempts_before: ref('attempts'),
      due_at: now,
      expires_at: now + GIVE_UP_MS,
      finished_at: null,
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new Failure('not-found', 'There is no such delivery.');
  await executeAll(tx, hookQueueStatements(tx, [{ api: row.api, hookId: row.hook_id }], now));
  await wakeWorkers(tx);
  return deliveryOf(row);
}

/**
 * When an account has changed a hook: what waits of resources that belong to others is not sent, because the address may be
 * another now.
 */
export async function stopDeliveriesOfOthers(
  tx: Db,
  { api, hookId }: HookRef,
  accountId: string,
  now: number,
): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({
      state: 'failed',
      due_at: null,
      finished_at: now,
      last_error: 'Another account changed the webhook.',
    })
    .where('api', '=', api)
    .where('hook_id', '=', hookId)
    .where('state', '=', 'pending')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('events')
          .select('events.id')
          .whereRef('events.id', '=', 'deliveries.event_id')
          .where('events.owner_id', '!=', accountId),
      ),
    )
    .execute();
}

/**
 * For a hook that is deleted, in that transaction: its deliveries are deleted later, in batches. So is its queue: every
 * change locks the queues of all hooks in order, and locking one out of order here could deadlock with them.
 */
export async function scheduleDeliveryRemoval(tx: Db, { api, hookId }: HookRef, now: number): Promise<void> {
  const payload = JSON.stringify({ api, hookId });
  await schedule(
    tx,
    { id: `webhook-drop:${api}:${hookId}`, kind: REMOVE_DELIVERIES, payload, dueAt: now },
    now,
  );
}

function deliveryOf(row: Selectable<DeliveryRow>): WebhookDelivery {
  return {
    id: row.id,
    number: row.seq,
    api: row.api,
    hookId: row.hook_id,
    eventId: row.event_id,
    state: row.state,
    attempts: row.attempts,
    dueAt: row.due_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    status: row.last_status,
    error: row.last_error,
  };
}
