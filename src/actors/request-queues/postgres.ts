// The hot statements in the words of PostgreSQL: one statement each, which locks the queue's row before any other.
import { CompiledQuery } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Entry } from './model.ts';
import {
  inOrder,
  STORED,
  type ListedRow,
  type LockedRow,
  type Moment,
  type QueueStatements,
  type HeadRow,
} from './statements.ts';

/** Who waits here goes on with the row as the one before has left it. */
const QUEUE = `q as materialized (select no, last_order from request_queues where id = $1 for update)`;

const GIVEN = `g as materialized (
  select value ->> 0 as id, (value ->> 1)::int as forefront, (value ->> 2)::bigint as handled_at,
    value ->> 3 as head, value ->> 4 as rest, n
  from json_array_elements($2::json) with ordinality as e (value, n))`;

const PLACE = `case when g.handled_at is null then (q.last_order + g.n) * (1 - 2 * g.forefront) end`;

const INSERT = `insert into queue_requests
  (queue_no, id, order_no, handled_at, lock_until, locked_by, head, rest)
  select q.no, g.id, ${PLACE}, g.handled_at, 0, null, g.head, g.rest from q, g`;

const MOMENT = `modified_at = greatest(s.modified_at + 1, $3), read_count = s.read_count + $4,
  head_item_read_count = s.head_item_read_count + $5, write_count = s.write_count + $6`;

const ADD = `with ${QUEUE}, ${GIVEN},
  made as (${INSERT} on conflict do nothing returning id, handled_at),
  counted as (
    update request_queues s set total = s.total + m.total, handled = s.handled + m.handled,
      last_order = s.last_order + (select count(*) from g), ${MOMENT}
    from q, (select count(*) as total, count(handled_at) as handled from made) m where s.no = q.no)
  select q.no, made.id from q left join made on true`;

/**
 * Each request by itself, so that no statistics, or none yet, lead PostgreSQL to read the whole queue. What was made
 * while this waited for the queue cannot be seen here: it is left alone, and missing from what was written.
 */
const CHANGE = `with ${QUEUE}, ${GIVEN},
  b as materialized (
    select r.id, r.handled_at from q, g, lateral (
      select id, handled_at from queue_requests where queue_no = q.no and id = g.id limit 1 for update) r),
  written as (
    ${INSERT}
    on conflict (queue_no, id) do update set
      order_no = excluded.order_no, handled_at = excluded.handled_at, head = excluded.head, rest = excluded.rest,
      lock_until = case when excluded.handled_at is null then queue_requests.lock_until else 0 end,
      locked_by = case when excluded.handled_at is null then queue_requests.locked_by end
    where queue_requests.id in (select id from b)
    returning id, handled_at),
  counted as (
    update request_queues s set total = s.total + c.more, handled = s.handled + c.more_handled,
      last_order = s.last_order + (select count(*) from g), ${MOMENT}
    from q, (
      select count(*) - count(b.id) as more, count(written.handled_at) - count(b.handled_at) as more_handled
      from written left join b using (id)) c
    where s.no = q.no)
  select q.no, g.id, b.id is not null as present, b.handled_at is not null as handled,
    written.id is not null as written
  from q, g left join b using (id) left join written using (id)`;

const REMOVE = `with ${QUEUE},
  removed as (
    delete from queue_requests r using q where r.queue_no = q.no and r.id = any ($2) returning r.id, r.head, r.handled_at),
  counted as (
    update request_queues s set total = s.total - m.total, handled = s.handled - m.handled,
      delete_count = s.delete_count + m.total, ${MOMENT}
    from q, (select count(*) as total, count(handled_at) as handled from removed) m where s.no = q.no)
  select q.no, removed.id, removed.head from q left join removed on true`;

/**
 * Follows an index from one request to the next. PostgreSQL takes a queue for as large as queues are on average, and
 * would rather read and sort all of a small one; of a single next one there is nothing to sort.
 */
function walk(columns: string, by: 'id' | 'order_no', condition: string, after: string, lock = ''): string {
  const next = (place: string) => `(select ${columns} from queue_requests
    where queue_no = (select no from q) and ${by} > ${place} ${condition} order by ${by} limit 1 ${lock})`;
  return `w as (
    select first.* from ${next(after)} first union all
    select next.* from w, lateral ${next(`w.${by}`)} next)`;
}

const FREE = 'and lock_until <= $2';
const FIRST = String(Number.MIN_SAFE_INTEGER);

const LOCK = `with recursive
  q as materialized (select no, modified_at, had_multiple_clients from request_queues where id = $1),
  ${walk('id, order_no', 'order_no', FREE, FIRST, 'for update skip locked')},
  picked as materialized (select id from w limit $3),
  locked as (
    update queue_requests r set lock_until = $4, locked_by = $5
    where r.queue_no = (select no from q) and r.id = any (array(select id from picked))
    returning r.id, r.head, r.order_no)
  select q.modified_at, q.had_multiple_clients, locked.id, locked.head, locked.order_no
  from q left join locked on true`;

const HEAD = `with recursive
  q as materialized (select no from request_queues where id = $1),
  ${walk('id, head, order_no', 'order_no', FREE, FIRST)}
  select id, head from w limit $3`;

const LISTED = [...STORED, 'order_no'].join(', ');

const list = (by: 'id' | 'order_no', condition: string) => `with recursive
  q as materialized (select no from request_queues where id = $1),
  ${walk(LISTED, by, condition, '$3')}
  select * from w limit $4`;

const LISTS = {
  // Says nothing, but every list has the same parameters.
  id: list('id', 'and $2::bigint is not null'),
  both: list('order_no', 'and $2::bigint is not null'),
  pending: list('order_no', FREE),
  locked: list('order_no', 'and lock_until > $2'),
};

export const postgresStatements: QueueStatements = {
  async add(engine, queueId, entries, moment) {
    const rows = await run<{ id: string | null }>(engine, ADD, queueId, toParameter(entries), moment);
    if (rows.length === 0) return undefined;
    return new Set(rows.flatMap(({ id }) => id ?? []));
  },

  async change(engine, queueId, entries, moment) {
    type Row = { id: string; present: boolean; handled: boolean; written: boolean };
    const rows = await run<Row>(engine, CHANGE, queueId, toParameter(entries), moment);
    if (rows.length === 0) return undefined;
    return {
      before: rows.filter(({ present }) => present),
      missed: rows.filter(({ written }) => !written).map(({ id }) => id),
    };
  },

  async remove(engine, queueId, ids, moment) {
    const rows = await run<{ id: string | null; head: string }>(engine, REMOVE, queueId, ids, moment);
    if (rows.length === 0) return undefined;
    return rows.filter(({ id }) => id !== null) as HeadRow[];
  },

  async head({ db }, queueId, limit, now) {
    return (await db.executeQuery<HeadRow>(CompiledQuery.raw(HEAD, [queueId, now, limit]))).rows;
  },

  async list({ db }, queueId, listing) {
    const sql = LISTS[listing.by === 'id' ? 'id' : listing.states];
    const now = listing.by === 'id' ? 0 : listing.now;
    const query = CompiledQuery.raw(sql, [queueId, now, listing.after, listing.limit]);
    return (await db.executeQuery<ListedRow>(query)).rows;
  },

  async lock(engine, queueId, { limit, client, until, now }) {
    type Row = LockedRow & { modified_at: number; had_multiple_clients: number };
    const query = CompiledQuery.raw(LOCK, [queueId, now, limit, until, client]);
    const { rows } = await engine.db.executeQuery<Row>(query);
    const [first] = rows;
    if (first === undefined) return undefined;
    return {
      modifiedAt: first.modified_at,
      hadMultipleClients: first.had_multiple_clients === 1,
      rows: first.id === null ? [] : inOrder(rows),
    };
  },
};

/** The JSON of a request goes as text inside JSON: PostgreSQL takes no half characters, not even when escaped. */
function toParameter(entries: Entry[]): string {
  return JSON.stringify(
    entries.map(({ id, forefront, handledAt, head, rest }) => [id, forefront ? 1 : 0, handledAt, head, rest]),
  );
}

async function run<Row>(
  { db }: Engine,
  sql: string,
  queueId: string,
  given: unknown,
  { now, reads, headReads, writes }: Moment,
): Promise<Row[]> {
  const query = CompiledQuery.raw(sql, [queueId, given, now, reads, headReads, writes]);
  return (await db.executeQuery<Row>(query)).rows;
}
