// Dispatches: deliveries that are independent of each other, each with what its API needs to send it.
import { executeAll } from '../storage/execute-all.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import type { Slice } from '../http/reply/page.ts';
import { schedule, wakeWorkers } from '../jobs/due-store.ts';
import { Failure } from '../failure.ts';
import type { Attempt } from './send.ts';
import {
  bodyIds,
  bodyStatements,
  hookQueueStatements,
  pendingStatements,
  type HookRef,
} from './store-queues.ts';
import type { AttemptRow, DeliveryState } from './tables.ts';

/** The kind of due work of the queue of a hook whose deliveries are dispatches. */
export const DISPATCH = 'webhook.dispatch';
export const STOP_DISPATCHES = 'webhook.stop';

export interface OutgoingDispatch {
  api: string;
  hookId: string;
  /** Unique. */
  id: string;
  eventId: string;
  ownerId: string;
  body: string;
  details: string;
  expiresAt: number;
}

/**
 * To be called at the end of the transaction, as it locks the hooks' queues until the commit. `after` are statements about the
 * same hooks: the locks of the queues order them.
 */
export async function enqueueDispatches(
  tx: Db,
  outgoing: readonly OutgoingDispatch[],
  after: readonly SqlStatement[],
  now: number,
): Promise<void> {
  const bodies = bodyIds(outgoing, now);
  const rows = outgoing.map(({ api, hookId, id, eventId, ownerId, body, details, expiresAt }) => ({
    id,
    api,
    hook_id: hookId,
    event_id: eventId,
    body_id: bodies.get(body)!,
    expires_at: expiresAt,
    owner_id: ownerId,
    details,
  }));
  await executeAll(tx, [
    ...hookQueueStatements(tx, outgoing, now, DISPATCH),
    ...pendingStatements(tx, rows, now),
    ...bodyStatements(tx, bodies, now),
    ...after,
  ]);
  await wakeWorkers(tx);
}

export interface DueDispatch {
  id: string;
  hookId: string;
  eventId: string;
  ownerId: string;
  attempts: number;
  expiresAt: number;
  details: string;
  body: string;
}

export interface DueLimits {
  now: number;
  /** How many at most. */
  limit: number;
  /** The length of all bodies together, unless the first one alone is longer. */
  length: number;
  /** Those that are being sent. */
  sending: readonly string[];
}

/** Oldest first, without those that are being sent. The sizes come first: a few long bodies would take too much memory. */
export async function listDueDispatches(
  db: Db,
  { api, hookId }: HookRef,
  { now, limit, length, sending }: DueLimits,
): Promise<DueDispatch[]> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('delivery_bodies', 'delivery_bodies.id', 'deliveries.body_id')
    .select([
      'deliveries.id',
      'hook_id',
      'event_id',
      'owner_id',
      'attempts',
      'expires_at',
      'details',
      'body_id',
    ])
    .select(({ fn }) => fn<number>('length', ['body']).as('length'))
    .where('api', '=', api)
    .where('hook_id', '=', hookId)
    .where('due_at', '<=', now)
    .$if(sending.length > 0, (query) => query.where('deliveries.id', 'not in', sending))
    .orderBy('due_at')
    .orderBy('seq')
    .limit(limit)
    .execute();
  let left = length;
  const fitting = rows.filter((row, index) => (left -= row.length) >= 0 || index === 0);
  if (fitting.length === 0) return [];
  const bodyOf = await listBodies(
    db,
    fitting.map((row) => row.body_id),
  );
  return fitting.flatMap((row) => {
    const body = bodyOf.get(row.body_id);
    // Deleted with its webhook meanwhile.
    if (body === undefined) return [];
    return [
      {
        id: row.id,
        hookId: row.hook_id,
        eventId: row.event_id,
        ownerId: row.owner_id ?? '',
        attempts: row.attempts,
        expiresAt: row.expires_at,
        details: row.details ?? '{}',
        body,
      },
    ];
  });
}

async function listBodies(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('delivery_bodies')
    .select(['id', 'body'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** In a transaction that does what the dispatch asks for. Throws where that was done before. */
export async function markDelivered(
  tx: Db,
  { id, attempts }: DueDispatch,
  { status, error, durationMs, response }: Attempt,
  now: number,
): Promise<void> {
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
    })
    .onConflict((conflict) => conflict.columns(['delivery_id', 'number']).doNothing())
    .execute();
}

/** The marks of queues, by id: a mark changes whenever dispatches are added. */
export async function listQueueMarks(db: Db, queueIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom('due').select(['id', 'payload']).where('id', 'in', queueIds).execute();
  return new Map(rows.map(({ id, payload }) => [id, payload]));
}

export interface Dispatch {
  id: string;
  hookId: string;
  ownerId: string;
  state: DeliveryState;
  createdAt: number;
  details: string;
  /** Oldest first. */
  attempts: AttemptRow[];
}

/** Whose dispatches. */
export type DispatchScope = HookRef | { api: string; ownerId: string };

export async function listDispatches(
  db: Db,
  scope: DispatchScope,
  { offset, limit }: Slice,
  desc: boolean,
): Promise<{ items: Dispatch[]; total: number }> {
  const ofApi = db.selectFrom('deliveries').where('api', '=', scope.api);
  const listed =
    'hookId' in scope
      ? ofApi.where('hook_id', '=', scope.hookId)
      : ofApi.where('owner_id', '=', scope.ownerId);
  const rows = await listed
    .select(DISPATCH_COLUMNS)
    .orderBy('seq', desc ? 'desc' : 'asc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await listed
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items: await withAttempts(db, rows), total };
}

export async function findDispatch(db: Db, api: string, id: string): Promise<Dispatch | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .select(DISPATCH_COLUMNS)
    .where('id', '=', id)
    .where('api', '=', api)
    .executeTakeFirst();
  return row && (await withAttempts(db, [row]))[0];
}

const DISPATCH_COLUMNS = ['id', 'hook_id', 'owner_id', 'state', 'attempts', 'created_at', 'details'] as const;

interface DispatchRow {
  id: string;
  hook_id: string;
  owner_id: string | null;
  state: DeliveryState;
  attempts: number;
  created_at: number;
  details: string | null;
}

const AT_ONCE = 500;

async function withAttempts(db: Db, rows: readonly DispatchRow[]): Promise<Dispatch[]> {
  const attempts: AttemptRow[] = [];
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const ids = rows.slice(start, start + AT_ONCE).map(({ id }) => id);
    attempts.push(
      ...(await db
        .selectFrom('delivery_attempts')
        .selectAll()
        .where('delivery_id', 'in', ids)
        .orderBy('delivery_id')
        .orderBy('number')
        .execute()),
    );
  }
  const byDispatch = Map.groupBy(attempts, (attempt) => attempt.delivery_id);
  return rows.map((row) => ({
    id: row.id,
    hookId: row.hook_id,
    ownerId: row.owner_id ?? '',
    state: row.state,
    createdAt: row.created_at,
    details: row.details ?? '{}',
    // Without one that was recorded since the row was read, so that the state and the attempts agree.
    attempts: (byDispatch.get(row.id) ?? []).slice(0, row.attempts),
  }));
}

/** For a hook that is turned off, in that transaction: what waits for a retry is deleted. */
export async function scheduleDispatchStop(tx: Db, { api, hookId }: HookRef, now: number): Promise<void> {
  const payload = JSON.stringify({ api, hookId });
  await schedule(
    tx,
    { id: `webhook-stop:${api}:${hookId}`, kind: STOP_DISPATCHES, payload, dueAt: now },
    now,
  );
}

/** When an account ends: its dispatches belong to another. */
export async function updateDispatchOwner(tx: Db, api: string, from: string, to: string): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ owner_id: to })
    .where('api', '=', api)
    .where('owner_id', '=', from)
    .execute();
}
