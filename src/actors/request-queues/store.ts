// Request queues in the database: make, find, read requests, list them, remove them.
import { sql, type Expression } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { encodeCursor, type Cursor, type StoredRequest } from './model.ts';
import type { QueueRow } from './tables.ts';
import { takeTally } from './tally.ts';

export async function createQueue(db: Db, id: string, now: number): Promise<void> {
  await db
    .insertInto('request_queues')
    .values({
      id,
      total: 0,
      handled: 0,
      last_order: 0,
      modified_at: now,
      client_key: null,
      had_multiple_clients: 0,
      read_count: 0,
      write_count: 0,
      delete_count: 0,
      head_item_read_count: 0,
    })
    .execute();
}

export async function findQueues(db: Db, ids: string[]): Promise<Map<string, QueueRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('request_queues').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Writes down what was counted in memory until now, and reads. */
export async function readQueue(engine: Engine, id: string): Promise<QueueRow> {
  const { reads, headReads, writes } = takeTally(engine, id);
  const row =
    reads + headReads + writes === 0
      ? (await findQueues(engine.db, [id])).get(id)
      : await engine.db
          .updateTable('request_queues')
          .set({
            read_count: sql`read_count + ${reads}`,
            head_item_read_count: sql`head_item_read_count + ${headReads}`,
            write_count: sql`write_count + ${writes}`,
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
  if (row === undefined) throw queueGone();
  return row;
}

/** The number that stands for a queue's id in the rows of its requests. */
export function numberOf(queueId: string): Expression<number> {
  return sql<number>`(select no from request_queues where id = ${queueId})`;
}

export const STORED = ['id', 'head', 'rest', 'handled_at', 'lock_until', 'locked_by'] as const;

/** The first requests that are pending and that nobody holds. */
export async function readHead(
  db: Db,
  queueId: string,
  limit: number,
  now: number,
): Promise<Pick<StoredRequest, 'id' | 'head'>[]> {
  return await db
    .selectFrom('queue_requests')
    .select(['id', 'head'])
    .where('queue_no', '=', numberOf(queueId))
    .where('order_no', 'is not', null)
    .where('lock_until', '<=', now)
    .orderBy('order_no')
    .limit(limit)
    .execute();
}

export interface ListOrder {
  limit: number;
  after: Cursor | undefined;
  /** All requests without one, by id; else those in any of these states, in the order of the queue. */
  filter: readonly ('locked' | 'pending')[] | undefined;
}

export async function listRequests(
  db: Db,
  queueId: string,
  { limit, after, filter }: ListOrder,
  now: number,
): Promise<{ rows: StoredRequest[]; nextCursor?: string }> {
  const query = db.selectFrom('queue_requests').select([...STORED, 'order_no']).where('queue_no', '=', numberOf(queueId));
  // One more than asked for tells whether there are more.
  const found = await (filter === undefined
    ? query
        .$if(after !== undefined && 'afterId' in after, (some) => some.where('id', '>', (after as { afterId: string }).afterId))
        .orderBy('id')
    : query
        .where('order_no', 'is not', null)
        .$if(after !== undefined && 'afterOrder' in after, (some) =>
          some.where('order_no', '>', (after as { afterOrder: number }).afterOrder),
        )
        .$if(!filter.includes('locked'), (some) => some.where('lock_until', '<=', now))
        .$if(!filter.includes('pending'), (some) => some.where('lock_until', '>', now))
        .orderBy('order_no')
  )
    .limit(limit + 1)
    .execute();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (last === undefined || found.length <= limit) return { rows };
  const next = filter === undefined ? { afterId: last.id } : { afterOrder: last.order_no! };
  return { rows, nextCursor: encodeCursor(next) };
}

const PURGED_AT_ONCE = 2000;

/**
 * The queue loses its id first: what is added after that finds none, and nothing is left behind. By the other name the
 * work finds it again when it was interrupted.
 */
export async function purgeQueue({ db }: Engine, id: string, signal: AbortSignal): Promise<void> {
  const other = `deleted ${id}`;
  await db.updateTable('request_queues').set({ id: other }).where('id', '=', id).execute();
  const queue = await db.selectFrom('request_queues').select('no').where('id', '=', other).executeTakeFirst();
  if (queue === undefined) return;
  for (;;) {
    signal.throwIfAborted();
    const { numDeletedRows } = await db
      .deleteFrom('queue_requests')
      .where('queue_no', '=', queue.no)
      .where('id', 'in', (eb) =>
        eb.selectFrom('queue_requests').select('id').where('queue_no', '=', queue.no).limit(PURGED_AT_ONCE),
      )
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) break;
  }
  await db.deleteFrom('request_queues').where('no', '=', queue.no).execute();
}

export function queueGone(): Failure {
  return new Failure('not-found', 'The request queue was not found');
}

export function requestNotFound(): Failure {
  return new Failure('not-found', 'The request was not found');
}
