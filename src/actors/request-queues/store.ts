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

/** Before the first and behind the last that there can be. */
const ENDS = {
  order_no: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  id: ['', '~'],
} as const;

/**
 * What comes behind a place in the queue, or behind an id. PostgreSQL takes a queue for as large as queues are on
 * average, and would rather sort a small one than follow the index; what lies between two pairs it never takes for small.
 */
function inQueue(kind: Engine['kind'], queueId: string, column: keyof typeof ENDS, after?: number | string) {
  const no = numberOf(queueId);
  const ref = sql.ref(column);
  const [first, last] = ENDS[column];
  return kind === 'sqlite'
    ? sql<boolean>`queue_no = ${no} and ${ref} > ${after ?? first}`
    : sql<boolean>`(queue_no, ${ref}) > (${no}, ${after ?? first}) and (queue_no, ${ref}) < (${no}, ${last})`;
}

/** The first requests that are pending and that nobody holds. */
export async function readHead(
  { db, kind }: Engine,
  queueId: string,
  limit: number,
  now: number,
): Promise<Pick<StoredRequest, 'id' | 'head'>[]> {
  return await db
    .selectFrom('queue_requests')
    .select(['id', 'head'])
    .where(inQueue(kind, queueId, 'order_no'))
    .where('order_no', 'is not', null)
    .where('lock_until', '<=', now)
    .orderBy('queue_no')
    .orderBy('order_no')
    .limit(limit)
    .execute();
}

export interface ListOrder {
  limit: number;
  after?: Cursor | undefined;
  /** All requests without one, by id; else those in any of these states, in the order of the queue. */
  filter?: readonly ('locked' | 'pending')[] | undefined;
}

export async function listRequests(
  { db, kind }: Engine,
  queueId: string,
  { limit, after, filter }: ListOrder,
  now: number,
): Promise<{ rows: StoredRequest[]; nextCursor?: string }> {
  const column = filter === undefined ? 'id' : 'order_no';
  const start = after && ('afterId' in after ? after.afterId : after.afterOrder);
  const found = await db
    .selectFrom('queue_requests')
    .select([...STORED, 'order_no'])
    .where(inQueue(kind, queueId, column, start))
    .$if(filter !== undefined, (some) => some.where('order_no', 'is not', null))
    .$if(filter?.includes('locked') === false, (some) => some.where('lock_until', '<=', now))
    .$if(filter?.includes('pending') === false, (some) => some.where('lock_until', '>', now))
    .orderBy('queue_no')
    .orderBy(column)
    // One more than asked for tells whether there are more.
    .limit(limit + 1)
    .execute();
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (last === undefined || found.length <= limit) return { rows };
  const next = filter === undefined ? { afterId: last.id } : { afterOrder: last.order_no! };
  return { rows, nextCursor: encodeCursor(next) };
}

/** Some of the queue's requests, for whoever takes them all. */
export async function someIds({ db, kind }: Engine, queueId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('queue_requests')
    .select('id')
    .where(inQueue(kind, queueId, 'id'))
    .orderBy('queue_no')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export function queueGone(): Failure {
  return new Failure('not-found', 'The request queue was not found');
}

export function requestNotFound(): Failure {
  return new Failure('not-found', 'The request was not found');
}
