// Reads deliveries of all APIs, with their attempts, and changes those of a hook or an account together.
import { sql, type Selectable } from 'kysely';
import type { Db } from '../storage/tables.ts';
import type { AttemptPhases } from './phases.ts';
import type { AttemptRow, DeliveryRow, DeliveryState, HookRef } from './tables.ts';

export interface WebhookDelivery {
  /** The id that receivers see; the same for each attempt. */
  id: string;
  /** Increases with time: the cursor of lists. */
  number: number;
  api: string;
  hookId: string;
  eventId: string;
  /** The account that it belongs to, where the API names one. */
  ownerId: string | null;
  bodyId: string;
  state: DeliveryState;
  attempts: number;
  /** When the next attempt is due, if there is one. */
  dueAt: number | null;
  createdAt: number;
  finishedAt: number | null;
  /** Of the last attempt. */
  status: number | null;
  error: string | null;
  /** What the API has saved with it, in its own format. */
  details: string;
}

/** Which deliveries: of a hook, of an account, of an API, or all. */
export type DeliveryScope = HookRef | { api: string; ownerId: string } | { api?: string };

export type DeliveryFilter = DeliveryScope & {
  /** All, where it is absent. */
  states?: readonly DeliveryState[] | undefined;
};

export interface DeliveryRange {
  limit: number;
  /** Only those with a lower number. */
  before?: number | undefined;
  offset?: number;
  /** Otherwise the newest come first. */
  oldestFirst?: boolean;
}

export async function listDeliveries(
  db: Db,
  filter: DeliveryFilter,
  { limit, before = Number.MAX_SAFE_INTEGER, offset = 0, oldestFirst = false }: DeliveryRange,
): Promise<WebhookDelivery[]> {
  const rows = await selectDeliveries(db, filter)
    .selectAll()
    .where('seq', '<', before)
    .orderBy('seq', oldestFirst ? 'asc' : 'desc')
    .limit(limit)
    .$if(offset > 0, (query) => query.offset(offset))
    .execute();
  return rows.map(deliveryOf);
}

export async function countDeliveries(db: Db, filter: DeliveryFilter): Promise<number> {
  const { total } = await selectDeliveries(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function selectDeliveries(db: Db, { states, ...scope }: DeliveryFilter) {
  const all = db
    .selectFrom('deliveries')
    .$if(states !== undefined, (query) => query.where('state', 'in', states!));
  const { api } = scope;
  if (api === undefined) return all;
  if ('hookId' in scope) return all.where('api', '=', api).where('hook_id', '=', scope.hookId);
  if ('ownerId' in scope) return all.where('api', '=', api).where('owner_id', '=', scope.ownerId);
  // No column alone: the index of hooks would find all deliveries of the API and sort them, instead of going by number.
  return all.where(sql<string>`api || ''`, '=', api);
}

export interface DeliveryWithAttempts extends WebhookDelivery {
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
  /** What the API has saved with it, in its own format. */
  details: string | null;
  phases?: AttemptPhases;
}

/** Deliveries whose attempts are read with one statement: SQLite limits the number of parameters. */
const AT_ONCE = 500;

export async function withAttempts(
  db: Db,
  deliveries: readonly WebhookDelivery[],
): Promise<DeliveryWithAttempts[]> {
  const rows: AttemptRow[] = [];
  for (let start = 0; start < deliveries.length; start += AT_ONCE) {
    const ids = deliveries.slice(start, start + AT_ONCE).map(({ id }) => id);
    rows.push(
      ...(await db
        .selectFrom('delivery_attempts')
        .selectAll()
        .where('delivery_id', 'in', ids)
        .orderBy('delivery_id')
        .orderBy('number')
        .execute()),
    );
  }
  const byDelivery = Map.groupBy(rows, (row) => row.delivery_id);
  return deliveries.map((delivery) => ({
    ...delivery,
    // Without one that was recorded since the delivery was read, so that the state and the attempts agree.
    history: (byDelivery.get(delivery.id) ?? []).slice(0, delivery.attempts).map(pastAttemptOf),
  }));
}

/** By its id, or by its number among those of a hook. */
export async function findDelivery(
  db: Db,
  ref: { id: string } | (HookRef & { number: number }),
): Promise<DeliveryWithAttempts | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .selectAll()
    .where(({ and, eb }) =>
      'id' in ref ? eb('id', '=', ref.id) : and({ api: ref.api, hook_id: ref.hookId, seq: ref.number }),
    )
    .executeTakeFirst();
  return row && (await withAttempts(db, [deliveryOf(row)]))[0];
}

/** Those that are still there, without their attempts. */
export async function listDeliveriesById(db: Db, ids: readonly string[]): Promise<WebhookDelivery[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('deliveries').selectAll().where('id', 'in', ids).execute();
  return rows.map(deliveryOf);
}

/** Undefined where it was deleted with its webhook meanwhile. */
export async function findDeliveryBody(
  db: Db,
  { bodyId }: Pick<WebhookDelivery, 'bodyId'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('delivery_bodies')
    .select('body')
    .where('id', '=', bodyId)
    .executeTakeFirst();
  return row?.body;
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

/** When an account ends: its deliveries belong to another. */
export async function updateDeliveryOwner(tx: Db, api: string, from: string, to: string): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ owner_id: to })
    .where('api', '=', api)
    .where('owner_id', '=', from)
    .execute();
}

export function deliveryOf(row: Selectable<DeliveryRow>): WebhookDelivery {
  return {
    id: row.id,
    number: row.seq,
    api: row.api,
    hookId: row.hook_id,
    eventId: row.event_id,
    ownerId: row.owner_id,
    bodyId: row.body_id,
    state: row.state,
    attempts: row.attempts,
    dueAt: row.due_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    status: row.last_status,
    error: row.last_error,
    details: row.details ?? '{}',
  };
}

function pastAttemptOf(row: AttemptRow): PastAttempt {
  const { number, at, status, error, duration_ms: durationMs, response, details, phases } = row;
  return {
    number,
    at,
    status,
    error,
    durationMs,
    response,
    details,
    ...(phases !== null && { phases: JSON.parse(phases) as AttemptPhases }),
  };
}
