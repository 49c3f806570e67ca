// The rows that deliveries and dispatches have in common: themselves, their bodies, and the queue of each hook as a row of due work.
import { sql, type Insertable } from 'kysely';
import { newId } from '../id.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db, Tables } from '../storage/tables.ts';
import { paddedBatches } from './padded-batches.ts';

export interface HookRef {
  api: string;
  hookId: string;
}

type PendingDelivery = Omit<
  Insertable<Tables['deliveries']>,
  'state' | 'attempts' | 'attempts_before' | 'due_at' | 'created_at'
>;

/** The kind of due work of a hook's queue. */
export const DELIVER = 'webhook.deliver';

/** The ids of the bodies, each once. */
export function bodyIds(outgoing: readonly { body: string }[], now: number): Map<string, string> {
  const bodies = new Map<string, string>();
  for (const { body } of outgoing) if (!bodies.has(body)) bodies.set(body, newId(now));
  return bodies;
}

/** Inserts deliveries that are due now. One that exists stays as it is: an event has one per hook. */
export function pendingStatements(
  db: Db,
  deliveries: readonly PendingDelivery[],
  now: number,
): SqlStatement[] {
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
export function bodyStatements(db: Db, bodies: ReadonlyMap<string, string>, now: number): SqlStatement[] {
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
export function hookQueueStatements(
  db: Db,
  hooks: readonly HookRef[],
  now: number,
  kind: string = DELIVER,
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

function hookQueueId({ api, hookId }: HookRef): string {
  return `webhook:${api}:${hookId}`;
}

export async function deleteHookQueue(db: Db, hook: HookRef): Promise<void> {
  await db.deleteFrom('due').where('id', '=', hookQueueId(hook)).execute();
}

export function hookOfQueue(id: string): HookRef {
  const [, api = '', hookId = ''] = HOOK_QUEUE_ID.exec(id) ?? [];
  return { api, hookId };
}
