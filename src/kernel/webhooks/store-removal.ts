// Deletes deliveries in batches: those of a hook that is off or deleted, and those that finished long ago.
import { schedule } from '../jobs/due-store.ts';
import type { Engine } from '../storage/engine.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import { paddedBatches } from '../collections/chunk.ts';
import { hookQueueId } from './store-enqueue.ts';
import { deleteOrphans } from './store-queue.ts';
import type { HookRef } from './tables.ts';

export const REMOVE_DELIVERIES = 'webhook.drop';
export const STOP_DELIVERIES = 'webhook.stop';

const BATCH = 512;

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

/** For a hook that is turned off, in that transaction: what waits for a retry is deleted. `now` is read once the hook is locked. */
export async function scheduleDeliveryStop(tx: Db, { api, hookId }: HookRef, now: number): Promise<void> {
  const payload = JSON.stringify({ api, hookId, until: now } satisfies StoppedHook);
  await schedule(
    tx,
    { id: `webhook-stop:${api}:${hookId}`, kind: STOP_DELIVERIES, payload, dueAt: now },
    now,
    'move',
  );
}

/** A hook and when it was off: what happens from then on is sent if it is on again. */
export interface StoppedHook extends HookRef {
  until: number;
}

/** Pending deliveries of a hook that is off: they are not sent when it is on again. */
export async function deletePendingDeliveries(
  engine: Engine,
  { until, ...hook }: StoppedHook,
  signal: AbortSignal,
): Promise<void> {
  await removeAll(engine, signal, (db) =>
    selectOf(db, hook).where('due_at', 'is not', null).where('created_at', '<=', until),
  );
}

export async function deleteAllDeliveries(engine: Engine, hook: HookRef, signal: AbortSignal): Promise<void> {
  await engine.db.deleteFrom('due').where('id', '=', hookQueueId(hook)).execute();
  await removeAll(engine, signal, (db) => selectOf(db, hook));
}

function selectOf(db: Db, { api, hookId }: HookRef) {
  return db.selectFrom('deliveries').select('id').where('api', '=', api).where('hook_id', '=', hookId);
}

/** Deliveries that finished before, and bodies without a delivery. */
export async function deleteOldDeliveries(
  engine: Engine,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  const { db } = engine;
  await removeAll(engine, signal, () =>
    db.selectFrom('deliveries').select('id').where('finished_at', '<', before),
  );
  await deleteUnusedBodies(engine, before, signal);
}

async function deleteUnusedBodies({ db, batch }: Engine, before: number, signal: AbortSignal): Promise<void> {
  let last = { created_at: 0, id: '' };
  for (;;) {
    signal.throwIfAborted();
    const rows = await db
      .selectFrom('delivery_bodies')
      .select(['created_at', 'id'])
      .where('created_at', '<', before)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '>', tuple(last.created_at, last.id)),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(BATCH)
      .execute();
    if (rows.length === 0) return;
    last = rows.at(-1)!;
    const ids = [...paddedBatches(rows.map(({ id }) => id))];
    await batch(ids.map((some) => deleteUnused(db, some)));
  }
}

function deleteUnused(db: Db, ids: string[]): SqlStatement {
  return db
    .deleteFrom('delivery_bodies')
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('deliveries.body_id', '=', 'delivery_bodies.id'),
        ),
      ),
    )
    .compile();
}

async function removeAll(
  engine: Engine,
  signal: AbortSignal,
  select: (db: Db) => ReturnType<typeof selectOf>,
): Promise<void> {
  const { db } = engine;
  for (;;) {
    signal.throwIfAborted();
    const rows = await select(db).limit(BATCH).execute();
    if (rows.length === 0) return;
    const ids = [...paddedBatches(rows.map(({ id }) => id))];
    await engine.batch([
      ...ids.map((some) => db.deleteFrom('deliveries').where('id', 'in', some).compile()),
      ...ids.map((some) => deleteOrphans(db, some)),
    ]);
  }
}
