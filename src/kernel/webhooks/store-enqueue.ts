// Inserts deliveries in the transaction of their change: their rows, their bodies, and the queue of each hook as a row of due work.
import { createHash } from 'node:crypto';
import { sql, type Insertable } from 'kysely';
import { Failure } from '../failure.ts';
import { newId } from '../id.ts';
import { wakeWorkers } from '../jobs/due-store.ts';
import { notifyOnCommit } from '../storage/notify-on-commit.ts';
import { executeAll } from '../storage/execute-all.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db, Tables } from '../storage/tables.ts';
import { paddedBatches } from '../collections/chunk.ts';
import { DELIVERIES } from './delivery-notices.ts';
import { GIVE_UP_MS, type DeliveryOrder } from './policy.ts';
import { deliveryOf, type WebhookDelivery } from './store-deliveries.ts';
import type { HookRef } from './tables.ts';

/** One event for one hook. */
export interface OutgoingDelivery extends HookRef {
  eventId: string;
  body: string;
  /** Without one, it is made from the hook and the event, so that an event is enqueued once per hook. */
  id?: string;
  /** The account whose hooks share its slots, and whose lists it is in. */
  ownerId?: string;
  /** What the API saves with it, in its own format. */
  details?: string;
  /** After a day, where it is absent. */
  expiresAt?: number;
}

/**
 * To be called at the end of the transaction, as it locks the hooks' queues until the commit. `after` are statements about the
 * same hooks: the locks of the queues order them.
 */
export async function enqueueDeliveries(
  tx: Db,
  order: DeliveryOrder,
  outgoing: readonly OutgoingDelivery[],
  now: number,
  after: readonly SqlStatement[] = [],
): Promise<void> {
  await executeAll(tx, [...deliveryStatements(tx, order, outgoing, now), ...after]);
  await wakeWorkers(tx);
}

/** The same as statements, to be sent with others. The code that commits them must wake the workers. */
export function deliveryStatements(
  db: Db,
  order: DeliveryOrder,
  outgoing: readonly OutgoingDelivery[],
  now: number,
): SqlStatement[] {
  const bodies = new Map<string, string>();
  for (const { body } of outgoing) if (!bodies.has(body)) bodies.set(body, newId(now));
  const rows = outgoing.map((delivery) => ({
    id: delivery.id ?? deliveryIdOf(delivery),
    api: delivery.api,
    hook_id: delivery.hookId,
    event_id: delivery.eventId,
    body_id: bodies.get(delivery.body)!,
    expires_at: delivery.expiresAt ?? now + GIVE_UP_MS,
    ...(delivery.ownerId !== undefined && { owner_id: delivery.ownerId }),
    ...(delivery.details !== undefined && { details: delivery.details }),
  }));
  return [
    ...pendingStatements(db, rows, now),
    ...bodyStatements(db, bodies, now),
    ...hookQueueStatements(db, order, outgoing, now),
  ];
}

function deliveryIdOf({ api, hookId, eventId }: OutgoingDelivery): string {
  return createHash('sha256')
    .update(JSON.stringify([api, hookId, eventId]))
    .digest('hex')
    .slice(0, 24);
}

type PendingDelivery = Omit<
  Insertable<Tables['deliveries']>,
  'state' | 'attempts' | 'attempts_before' | 'due_at' | 'created_at'
>;

/** Inserts deliveries that are due now. One that exists stays as it is. */
function pendingStatements(db: Db, deliveries: readonly PendingDelivery[], now: number): SqlStatement[] {
  const state = 'pending' as const;
  const rows = deliveries.map((delivery) => ({
    ...delivery,
    state,
    attempts: 0,
    attempts_before: 0,
    due_at: now,
    created_at: now,
  }));
  return [...paddedBatches(rows)].map((some) =>
    db
      .insertInto('deliveries')
      .values(some)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .compile(),
  );
}

/** After the deliveries. Bodies are skipped where all hooks have the event already. */
function bodyStatements(db: Db, bodies: ReadonlyMap<string, string>, now: number): SqlStatement[] {
  return [...bodies].map(([body, id]) =>
    sql`
      insert into delivery_bodies (id, body, created_at)
      select cast(${id} as text), cast(${body} as text), cast(${now} as bigint)
      where exists (select 1 from deliveries where body_id = ${id})`.compile(db),
  );
}

/**
 * One due row per hook. A waiting queue becomes due now; a claimed one stays claimed. In both cases the payload changes,
 * by which the claimer sees before it releases the queue that deliveries were added.
 */
function hookQueueStatements(
  db: Db,
  { kind }: DeliveryOrder,
  hooks: readonly HookRef[],
  now: number,
): SqlStatement[] {
  // Sorted, so that two transactions never deadlock on each other's queues.
  const queueIds = [...new Set(hooks.map(hookQueueId))].toSorted();
  const mark = newId(now);
  return [...paddedBatches(queueIds)].map((some) => {
    const ids = sql.join(some.map((id) => sql`(${id})`));
    return sql`
      insert into due (id, kind, payload, due_at, attempts, created_at)
      select distinct column1, ${sql.lit(kind)}, cast(${mark} as text), cast(${now} as bigint), 0, cast(${now} as bigint)
      from (values ${ids}) as queues where true
      order by column1
      on conflict (id) do update set
        payload = excluded.payload,
        due_at = case when due.owner is null and due.due_at > excluded.due_at
          then excluded.due_at else due.due_at end`.compile(db);
  });
}

const HOOK_QUEUE_ID = /^webhook:([^:]+):(.+)$/s;

export function hookQueueId({ api, hookId }: HookRef): string {
  return `webhook:${api}:${hookId}`;
}

export function hookOfQueue(id: string): HookRef {
  const [, api = '', hookId = ''] = HOOK_QUEUE_ID.exec(id) ?? [];
  return { api, hookId };
}

/** Sends it again under the same id, with a full set of attempts. */
export async function redeliver(
  tx: Db,
  order: DeliveryOrder,
  id: string,
  now: number,
): Promise<WebhookDelivery> {
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
  await executeAll(tx, hookQueueStatements(tx, order, [{ api: row.api, hookId: row.hook_id }], now));
  await wakeWorkers(tx);
  await notifyOnCommit(tx, DELIVERIES, id);
  return deliveryOf(row);
}
