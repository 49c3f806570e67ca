// Dispatches that have been sent, with what came of their last attempt: listed by keyset, newest first.
import type { Db } from '../storage/tables.ts';
import type { AttemptRow, DeliveryState } from './tables.ts';
import type { HookRef } from './store-queues.ts';

export interface FinishedDispatchRow {
  /** Increases with time. */
  number: number;
  eventId: string;
  ownerId: string;
  state: DeliveryState;
  finishedAt: number;
  details: string;
  /** The last one; absent where it expired in the queue. */
  attempt?: Omit<AttemptRow, 'delivery_id'>;
}

export interface FinishedDispatchFilter {
  /** Only older ones. */
  before?: number | undefined;
  state?: DeliveryState | undefined;
  limit: number;
}

/** Newest first. */
export async function listFinishedDispatches(
  db: Db,
  hook: HookRef,
  { before, state, limit }: FinishedDispatchFilter,
): Promise<FinishedDispatchRow[]> {
  const rows = await selectFinished(db, hook)
    .$if(before !== undefined, (query) => query.where('seq', '<', before!))
    .$if(state !== undefined, (query) => query.where('state', '=', state!))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(finishedFrom);
}

export async function findFinishedDispatch(
  db: Db,
  hook: HookRef,
  number: number,
): Promise<(FinishedDispatchRow & { body: string }) | undefined> {
  const row = await selectFinished(db, hook)
    .innerJoin('delivery_bodies', 'delivery_bodies.id', 'deliveries.body_id')
    .select('delivery_bodies.body')
    .where('seq', '=', number)
    .executeTakeFirst();
  return row && { ...finishedFrom(row), body: row.body };
}

function selectFinished(db: Db, { api, hookId }: HookRef) {
  return db
    .selectFrom('deliveries')
    .leftJoin('delivery_attempts', (join) =>
      join
        .onRef('delivery_attempts.delivery_id', '=', 'deliveries.id')
        .onRef('delivery_attempts.number', '=', 'deliveries.attempts'),
    )
    .select([
      'seq',
      'event_id',
      'owner_id',
      'state',
      'finished_at',
      'deliveries.details',
      'delivery_attempts.number',
      'at',
      'status',
      'error',
      'duration_ms',
      'response',
      'delivery_attempts.details as attempt_details',
    ])
    .where('api', '=', api)
    .where('hook_id', '=', hookId)
    .where('finished_at', 'is not', null);
}

interface SelectedRow {
  seq: number;
  event_id: string;
  owner_id: string | null;
  state: DeliveryState;
  finished_at: number | null;
  details: string | null;
  number: number | null;
  at: number | null;
  status: number | null;
  error: string | null;
  duration_ms: number | null;
  response: string | null;
  attempt_details: string | null;
}

function finishedFrom(row: SelectedRow): FinishedDispatchRow {
  const { number, at, status, error, duration_ms, response, attempt_details: details } = row;
  return {
    number: row.seq,
    eventId: row.event_id,
    ownerId: row.owner_id ?? '',
    state: row.state,
    finishedAt: row.finished_at ?? 0,
    details: row.details ?? '{}',
    ...(number !== null && {
      attempt: {
        number,
        at: at ?? 0,
        status,
        error,
        duration_ms: duration_ms ?? 0,
        response: response ?? '',
        details,
      },
    }),
  };
}
