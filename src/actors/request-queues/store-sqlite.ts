// The hot statements in the words of SQLite: each operation is one transaction, sent in one trip to the writer.
import { CompiledQuery, sql } from 'kysely';
import type { Entry } from './request.ts';
import {
  inOrder,
  LISTED,
  MOST_BYTES,
  type Before,
  type ListedRow,
  type Listing,
  type LockedRow,
  type Moment,
  type QueueStatements,
  type HeadRow,
} from './statements.ts';
import { numberOf } from './store.ts';

/** `json_each` gives each entry as text that is parsed again for every value in it; the other came with SQLite 3.51. */
const EACH = isAtLeast(process.versions.sqlite, 3, 51) ? 'jsonb_each' : 'json_each';

const QUEUE_NO = `(select no from request_queues where id = ?1)`;

/** The bytes that a request takes, in its row and as it is given. */
const SIZE = `octet_length(head) + coalesce(octet_length(rest), 0)`;
const GIVEN_SIZE = `octet_length(g.value -> 3) + coalesce(octet_length(nullif(g.value -> 4, 'null')), 0)`;

/** `?3` is how far the queue has been moved on beforehand. */
const INSERT = `insert into queue_requests
  (queue_no, id, order_no, handled_at, lock_until, locked_by, head, rest)
  select q.no, g.value ->> 0,
    case when g.value ->> 2 is not null then null
      else (q.last_order - ?3 + g.key + 1) * (1 - 2 * (g.value ->> 1)) end,
    g.value ->> 2, 0, null, g.value -> 3, nullif(g.value -> 4, 'null')
  from request_queues q, ${EACH}(?2) g where q.id = ?1`;

const MOMENT = `modified_at = max(modified_at + 1, ?3), read_count = read_count + ?4,
  head_item_read_count = head_item_read_count + ?5, write_count = write_count + ?6`;

const ADD = `${INSERT} on conflict do nothing returning id`;

/** Counts what the statement before it has inserted: that stands beyond the last place at either end. */
const COUNT_ADDED = `update request_queues set total = total + changes(), bytes = bytes
    + (select coalesce(sum(${SIZE}), 0) from queue_requests where queue_no = no and order_no > last_order)
    + (select coalesce(sum(${SIZE}), 0) from queue_requests where queue_no = no and order_no < -last_order),
  last_order = last_order + ?2, ${MOMENT} where id = ?1 returning no`;

/** Counts what the statement behind it will insert, where that has no place. */
const COUNT_HANDLED = `update request_queues set total = total + c.more, handled = handled + c.more,
    bytes = bytes + c.more_bytes
  from (select count(*) as more, coalesce(sum(${GIVEN_SIZE}), 0) as more_bytes from ${EACH}(?2) g
    where not exists (select 1 from queue_requests where queue_no = ${QUEUE_NO} and id = g.value ->> 0)) c
  where request_queues.id = ?1`;

const READ_BEFORE = `select id, handled_at is not null as handled from queue_requests
  where queue_no = ${QUEUE_NO} and id in (select value ->> 0 from ${EACH}(?2))`;

const COUNT_CHANGED = `update request_queues set total = total + c.more, handled = handled + c.more_handled,
    bytes = bytes + c.more_bytes, last_order = last_order + ?2, ${MOMENT}
  from (select count(*) - count(r.id) as more,
      sum(${GIVEN_SIZE}) - coalesce(sum(${SIZE}), 0) as more_bytes,
      sum((g.value ->> 2 is not null) - (r.handled_at is not null)) as more_handled
    from ${EACH}(?7) g left join queue_requests r on r.queue_no = ${QUEUE_NO} and r.id = g.value ->> 0) c
  where request_queues.id = ?1 returning no`;

const CHANGE = `${INSERT} on conflict (queue_no, id) do update set
  order_no = excluded.order_no, handled_at = excluded.handled_at, head = excluded.head, rest = excluded.rest,
  lock_until = case when excluded.handled_at is null then lock_until else 0 end,
  locked_by = case when excluded.handled_at is null then locked_by end`;

const COUNT_REMOVED = `update request_queues set total = total - c.less, handled = handled - c.less_handled,
    bytes = bytes - c.less_bytes, delete_count = delete_count + c.less, ${MOMENT}
  from (select count(*) as less, count(handled_at) as less_handled, coalesce(sum(${SIZE}), 0) as less_bytes
    from queue_requests
    where queue_no = ${QUEUE_NO} and id in (select value from json_each(?2))) c
  where request_queues.id = ?1 returning no`;

const REMOVE = `delete from queue_requests
  where queue_no = ${QUEUE_NO} and id in (select value from json_each(?2)) returning id, head`;

const LOCK = `update queue_requests set lock_until = ?4, locked_by = ?5
  where rowid in (select rowid from queue_requests
    where queue_no = ${QUEUE_NO} and order_no is not null and lock_until <= ?2 order by order_no limit ?3)
  returning id, head, order_no`;

const READ_QUEUE = `select modified_at, had_multiple_clients from request_queues where id = ?1`;

const MOVE_ON = `update request_queues set last_order = last_order + 1 where id = ?1`;

const PLACE = `update queue_requests set lock_until = ?4, locked_by = ?5,
    order_no = ?6 * (select last_order from request_queues where id = ?1)
  where queue_no = ${QUEUE_NO} and id = ?2 and order_no is not null and locked_by = ?3 returning id`;

/** That the lock is above 0 is what its index is about. */
const RELEASE_ALL = `update queue_requests set lock_until = 0, locked_by = null
  where queue_no = ${QUEUE_NO} and lock_until > ?2 and lock_until > 0 and locked_by = ?3 returning id`;

export const sqliteStatements: QueueStatements = {
  async add(engine, queueId, entries, moment) {
    const pending = entries.filter(({ handledAt }) => handledAt === null);
    const handled = entries.filter(({ handledAt }) => handledAt !== null);
    const [first, counted, , second] = await engine.batch([
      CompiledQuery.raw(ADD, [queueId, toParameter(pending), 0]),
      CompiledQuery.raw(COUNT_ADDED, [queueId, pending.length, ...valuesOf(moment)]),
      // A request that comes as handled already is rare.
      ...(handled.length === 0
        ? []
        : [
            CompiledQuery.raw(COUNT_HANDLED, [queueId, toParameter(handled)]),
            CompiledQuery.raw(ADD, [queueId, toParameter(handled), 0]),
          ]),
    ]);
    if (counted!.rows.length === 0) return undefined;
    const rows = [...first!.rows, ...(second?.rows ?? [])] as { id: string }[];
    return new Set(rows.map(({ id }) => id));
  },

  async change(engine, queueId, entries, moment) {
    const given = toParameter(entries);
    const [before, counted] = await engine.batch([
      CompiledQuery.raw(READ_BEFORE, [queueId, given]),
      CompiledQuery.raw(COUNT_CHANGED, [queueId, entries.length, ...valuesOf(moment), given]),
      CompiledQuery.raw(CHANGE, [queueId, given, entries.length]),
    ]);
    return counted!.rows.length === 0 ? undefined : { before: before!.rows as Before[], missed: [] };
  },

  async remove(engine, queueId, ids, moment) {
    const given = JSON.stringify(ids);
    const [counted, removed] = await engine.batch([
      CompiledQuery.raw(COUNT_REMOVED, [queueId, given, ...valuesOf(moment)]),
      CompiledQuery.raw(REMOVE, [queueId, given]),
    ]);
    return counted!.rows.length === 0 ? undefined : (removed!.rows as HeadRow[]);
  },

  // Reads are built, not raw, so that they go to the reader.
  async head({ db }, queueId, limit, now) {
    return await db
      .selectFrom('queue_requests')
      .select(['id', 'head'])
      .where('queue_no', '=', numberOf(queueId))
      .where('order_no', 'is not', null)
      .where('lock_until', '<=', now)
      .orderBy('order_no')
      .limit(limit)
      .execute();
  },

  async list({ db }, queueId, listing) {
    const { by, after, limit } = listing;
    const column = sql.ref(by);
    const no = numberOf(queueId);
    const rows = await db
      .selectFrom(
        sql<ListedRow>`(
          with sized as (
            select id, own, sum(own) over (order by ${column}) as bytes
            from (select id, order_no, octet_length(head) + coalesce(octet_length(rest), 0) as own
              from queue_requests
              where queue_no = ${no} and ${column} > ${after} ${stateOf(listing)} order by ${column} limit ${limit}))
          select ${sql.join(LISTED.map((name) => sql.ref(`r.${name}`)))}, sized.bytes
          from sized cross join queue_requests r
          where r.queue_no = ${no} and r.id = sized.id and sized.bytes - sized.own < ${MOST_BYTES})`.as(
          'listed',
        ),
      )
      .selectAll()
      .execute();
    return rows;
  },

  async ids({ db }, queueId, limit) {
    const rows = await db
      .selectFrom('queue_requests')
      .select('id')
      .where('queue_no', '=', numberOf(queueId))
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },

  async lock(engine, queueId, { limit, client, until, now }) {
    const [locked, found] = await engine.batch([
      CompiledQuery.raw(LOCK, [queueId, now, limit, until, client]),
      CompiledQuery.raw(READ_QUEUE, [queueId]),
    ]);
    const [queue] = found!.rows as { modified_at: number; had_multiple_clients: number }[];
    if (queue === undefined) return undefined;
    return {
      modifiedAt: queue.modified_at,
      hadMultipleClients: queue.had_multiple_clients === 1,
      rows: inOrder(locked!.rows as LockedRow[]),
    };
  },

  async place(engine, { queueId, id, client }, { until, nextClient, sign }) {
    const [, placed] = await engine.batch([
      CompiledQuery.raw(MOVE_ON, [queueId]),
      CompiledQuery.raw(PLACE, [queueId, id, client, until, nextClient, sign]),
    ]);
    return placed!.rows.length > 0;
  },

  async releaseAll({ db }, queueId, client, now) {
    const { rows } = await db.executeQuery(CompiledQuery.raw(RELEASE_ALL, [queueId, now, client]));
    return rows.length;
  },
};

/** The entries as one parameter, each in the form `[id, forefront, handledAt, head, rest]`. */
function toParameter(entries: Entry[]): string {
  const rows = entries.map(
    ({ id, forefront, handledAt, head, rest }) =>
      `["${id}",${forefront ? 1 : 0},${handledAt},${head},${rest}]`,
  );
  return `[${rows.join(',')}]`;
}

function stateOf(listing: Listing) {
  if (listing.by === 'id' || listing.states === 'both') return sql``;
  return listing.states === 'pending'
    ? sql`and lock_until <= ${listing.now}`
    : sql`and lock_until > ${listing.now}`;
}

function valuesOf({ now, reads, headReads, writes }: Moment): number[] {
  return [now, reads, headReads, writes];
}

function isAtLeast(version: string | undefined, major: number, minor: number): boolean {
  const [first = 0, second = 0] = (version ?? '').split('.').map(Number);
  return first > major || (first === major && second >= minor);
}
