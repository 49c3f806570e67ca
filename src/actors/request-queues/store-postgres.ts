// The hot statements for PostgreSQL, one statement each. A statement that changes several requests first locks the row of
// the queue, so that two of them never deadlock.
import { CompiledQuery } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { RequestEntry } from './request.ts';
import {
  inOrder,
  LIST_COLUMNS,
  MAX_LIST_BYTES,
  type HeadRow,
  type ListedRow,
  type LockedRow,
  type WriteContext,
  type QueueStatements,
} from './statements.ts';

/** Locks the row; a statement that waited for it sees the values that the one before committed. */
const QUEUE = `q as materialized (select no, last_order from request_queues where id = $1 for update)`;

const GIVEN = `g as materialized (
  select value ->> 0 as id, (value ->> 1)::int as forefront, (value ->> 2)::bigint as handled_at,
    value ->> 3 as head, value ->> 4 as rest, n
  from json_array_elements($2::json) with ordinality as e (value, n))`;

/** The bytes that a request takes in its row. */
const SIZE = `octet_length(head) + coalesce(octet_length(rest), 0)`;

const INSERT = `insert into queue_requests
  (queue_no, id, order_no, handled_at, lock_until, locked_by, head, rest)
  select q.no, g.id, case when g.handled_at is null then (q.last_order + g.n) * (1 - 2 * g.forefront) end,
    g.handled_at, 0, null, g.head, g.rest from q, g`;

const COUNTERS = `modified_at = greatest(s.modified_at + 1, $3), read_count = s.read_count + $4,
  head_item_read_count = s.head_item_read_count + $5, write_count = s.write_count + $6`;

const INSERT_NEW = `with ${QUEUE}, ${GIVEN},
  inserted as (${INSERT} on conflict do nothing returning id, handled_at, ${SIZE} as bytes),
  counted as (
    update request_queues s set total = s.total + m.more, handled = s.handled + m.more_handled,
      bytes = s.bytes + m.bytes, last_order = s.last_order + (select count(*) from g), ${COUNTERS}
    from q, (
      select count(*) as more, count(handled_at) as more_handled, coalesce(sum(bytes), 0) as bytes from inserted) m
    where s.no = q.no)
  select q.no, inserted.id from q left join inserted on true`;

/**
 * Looks up each request by itself, so that the planner never reads the whole queue because of missing statistics. Requests
 * that were inserted while this waited for the lock are invisible here: they are not changed, and not among the written.
 */
const UPSERT = `with ${QUEUE}, ${GIVEN},
  b as materialized (
    select r.id, r.handled_at, r.bytes from q, g, lateral (
      select id, handled_at, ${SIZE} as bytes from queue_requests where queue_no = q.no and id = g.id limit 1 for update) r),
  written as (
    ${INSERT}
    on conflict (queue_no, id) do update set
      order_no = excluded.order_no, handled_at = excluded.handled_at, head = excluded.head, rest = excluded.rest,
      lock_until = case when excluded.handled_at is null then queue_requests.lock_until else 0 end,
      locked_by = case when excluded.handled_at is null then queue_requests.locked_by end
    where queue_requests.id in (select id from b)
    returning id, handled_at, ${SIZE} as bytes),
  counted as (
    update request_queues s set total = s.total + c.more, handled = s.handled + c.more_handled,
      bytes = s.bytes + c.more_bytes, last_order = s.last_order + (select count(*) from g), ${COUNTERS}
    from q, (
      select count(*) - count(b.id) as more, count(written.handled_at) - count(b.handled_at) as more_handled,
        coalesce(sum(written.bytes), 0) - coalesce(sum(b.bytes), 0) as more_bytes
      from written left join b using (id)) c
    where s.no = q.no)
  select q.no, g.id, b.id is not null as present, b.handled_at is not null as handled,
    written.id is not null as written
  from q, g left join b using (id) left join written using (id)`;

/** A client with a key leaves what others have locked. */
const DELETE = `with ${QUEUE},
  deleted as (
    delete from queue_requests r using q
    where r.queue_no = q.no and r.id = any ($2) and ($7 = '' or r.lock_until <= $3 or r.locked_by = $7) returning r.id, r.head, r.handled_at, ${SIZE} as bytes),
  counted as (
    update request_queues s set total = s.total - m.less, handled = s.handled - m.less_handled,
      bytes = s.bytes - m.bytes, delete_count = s.delete_count + m.less, ${COUNTERS}
    from q, (
      select count(*) as less, count(handled_at) as less_handled, coalesce(sum(bytes), 0) as bytes from deleted) m
    where s.no = q.no)
  select q.no, deleted.id, deleted.head from q left join deleted on true`;

interface Walk {
  columns: string;
  by: 'id' | 'order_no';
  after: string;
  where?: string;
  lock?: string;
}

/**
 * A recursive query that steps through the index from one request to the next. The planner takes every queue for one of
 * average size, and would rather read and sort all of a small one than follow an index; a single next row needs no sort.
 * Where sizes are summed up, the walk ends when they exceed the limit.
 */
function walk({ columns, by, after, where = '', lock = '' }: Walk, size?: string): string {
  const next = (place: string, before: string) => `(
    select ${columns}${size === undefined ? '' : `, ${before} + ${size} as bytes`} from queue_requests
    where queue_no = (select no from q) and ${by} > ${place} ${where} order by ${by} limit 1 ${lock})`;
  return `w as (
    select first.* from ${next(after, '0')} first union all
    select next.* from w, lateral ${next(`w.${by}`, 'w.bytes')} next
    ${size === undefined ? '' : `where w.bytes < ${MAX_LIST_BYTES}`})`;
}

const READ_QUEUE = `q as materialized (
  select no, modified_at, had_multiple_clients from request_queues where id = $1)`;
const FIRST = String(Number.MIN_SAFE_INTEGER);
const FREE = { by: 'order_no', after: FIRST, where: 'and lock_until <= $2' } as const;

const LOCK = `with recursive ${READ_QUEUE},
  ${walk({ ...FREE, columns: 'id, order_no', lock: 'for update skip locked' })},
  picked as materialized (select id from w limit $3),
  locked as (
    update queue_requests r set lock_until = $4, locked_by = $5
    where r.queue_no = (select no from q) and r.id = any (array(select id from picked))
    returning r.id, r.head, r.order_no)
  select q.modified_at, q.had_multiple_clients, locked.id, locked.head, locked.order_no
  from q left join locked on true`;

const HEAD = `with recursive ${READ_QUEUE},
  ${walk({ ...FREE, columns: 'id, head, order_no' })} select id, head from w limit $3`;

const IDS = `with recursive ${READ_QUEUE},
  ${walk({ columns: 'id', by: 'id', after: `''` })} select id from w limit $2`;

function list(by: Walk['by'], where: string): string {
  return `with recursive ${READ_QUEUE},
    ${walk({ columns: LIST_COLUMNS.join(', '), by, after: '$3', where }, SIZE)} select * from w limit $4`;
}

/** All take the same parameters, even where the time is unused. */
const LISTS = {
  id: list('id', 'and $2::bigint is not null'),
  both: list('order_no', 'and $2::bigint is not null'),
  pending: list('order_no', 'and lock_until <= $2'),
  locked: list('order_no', 'and lock_until > $2'),
};

const UPDATE_LOCK = `with q as (
    update request_queues set last_order = last_order + 1 where id = $1 returning no, last_order)
  update queue_requests r set lock_until = $4, locked_by = $5, order_no = $6::int * q.last_order from q
  where r.queue_no = q.no and r.id = $2 and r.order_no is not null and r.locked_by = $3 returning r.id`;

/** `lock_until > 0` repeats the condition of the partial index, so that it is used. */
const RELEASE_LOCKS = `with ${QUEUE}
  update queue_requests r set lock_until = 0, locked_by = null from q
  where r.queue_no = q.no and r.lock_until > $2 and r.lock_until > 0 and r.locked_by = $3 returning r.id`;

export const postgresStatements: QueueStatements = {
  async insert(engine, queueId, entries, context) {
    const rows = await write<{ id: string | null }>(
      engine,
      INSERT_NEW,
      queueId,
      toParameter(entries),
      context,
    );
    if (rows.length === 0) return undefined;
    return new Set(rows.flatMap(({ id }) => id ?? []));
  },

  async upsert(engine, queueId, entries, context) {
    type Row = { id: string; present: boolean; handled: boolean; written: boolean };
    const rows = await write<Row>(engine, UPSERT, queueId, toParameter(entries), context);
    if (rows.length === 0) return undefined;
    return {
      before: rows.filter(({ present }) => present),
      missed: rows.filter(({ written }) => !written).map(({ id }) => id),
    };
  },

  async delete(engine, queueId, ids, client, context) {
    const { now, reads, headReads, writes } = context;
    const parameters = [queueId, ids, now, reads, headReads, writes, client];
    const rows = await run<HeadRow | { id: null }>(engine, DELETE, parameters);
    if (rows.length === 0) return undefined;
    return rows.filter((row) => row.id !== null);
  },

  listHead: (engine, queueId, limit, now) => run(engine, HEAD, [queueId, now, limit]),

  list(engine, queueId, query) {
    const { by, after, limit } = query;
    const [sql, now] = by === 'id' ? [LISTS.id, 0] : [LISTS[query.states], query.now];
    return run<ListedRow>(engine, sql, [queueId, now, after, limit]);
  },

  async listIds(engine, queueId, limit) {
    return (await run<{ id: string }>(engine, IDS, [queueId, limit])).map(({ id }) => id);
  },

  async lock(engine, queueId, { limit, client, until, now }) {
    type Row = LockedRow & { modified_at: number; had_multiple_clients: number };
    const rows = await run<Row>(engine, LOCK, [queueId, now, limit, until, client]);
    const [first] = rows;
    if (first === undefined) return undefined;
    return {
      modifiedAt: first.modified_at,
      hadMultipleClients: first.had_multiple_clients === 1,
      rows: first.id === null ? [] : inOrder(rows),
    };
  },

  async updateLock(engine, { queueId, id, client }, { until, nextClient, signMessage }) {
    return (await run(engine, UPDATE_LOCK, [queueId, id, client, until, nextClient, signMessage])).length > 0;
  },

  async releaseLocks(engine, queueId, client, now) {
    return (await run(engine, RELEASE_LOCKS, [queueId, now, client])).length;
  },
};

/** The JSON of a request is nested as text: PostgreSQL rejects lone surrogates in JSON, even escaped ones. */
function toParameter(entries: RequestEntry[]): string {
  return JSON.stringify(
    entries.map(({ id, forefront, handledAt, head, rest }) => [id, forefront ? 1 : 0, handledAt, head, rest]),
  );
}

function write<Row>(
  engine: Engine,
  sql: string,
  queueId: string,
  given: unknown,
  { now, reads, headReads, writes }: WriteContext,
): Promise<Row[]> {
  return run<Row>(engine, sql, [queueId, given, now, reads, headReads, writes]);
}

async function run<Row>({ db }: Engine, sql: string, parameters: unknown[]): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(sql, parameters))).rows;
}
