// The hot statements for SQLite: each operation is one transaction, sent to the writer thread in one message.
import { CompiledQuery, sql, type Expression, type RawBuilder } from 'kysely';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { RequestEntry } from './request.ts';
import {
  inOrder,
  LIST_COLUMNS,
  MAX_LIST_BYTES,
  type PreviousState,
  type ListedRow,
  type LockedRow,
  type WriteContext,
  type QueueStatements,
  type HeadRow,
} from './statements.ts';
import { numberOf } from './store.ts';

/** `json_each` returns each entry as text that is parsed again for every value; SQLite 3.51 added `jsonb_each`, which is faster. */
const EACH = isAtLeast(process.versions.sqlite, 3, 51) ? 'jsonb_each' : 'json_each';

const QUEUE_NO = `(select no from request_queues where id = ?1)`;

/** The bytes that a request takes, in its row and as it is given. */
const SIZE = `octet_length(head) + coalesce(octet_length(rest), 0)`;
const GIVEN_SIZE = `octet_length(g.value -> 3) + coalesce(octet_length(nullif(g.value -> 4, 'null')), 0)`;

/** `?3` is by how much `last_order` has been advanced before. */
const INSERT = `insert into queue_requests
  (queue_no, id, order_no, handled_at, lock_until, locked_by, head, rest)
  select q.no, g.value ->> 0,
    case when g.value ->> 2 is not null then null
      else (q.last_order - ?3 + g.key + 1) * (1 - 2 * (g.value ->> 1)) end,
    g.value ->> 2, 0, null, g.value -> 3, nullif(g.value -> 4, 'null')
  from request_queues q, ${EACH}(?2) g where q.id = ?1`;

const COUNTERS = `modified_at = max(modified_at + 1, ?3), read_count = read_count + ?4,
  head_item_read_count = head_item_read_count + ?5, write_count = write_count + ?6`;

const INSERT_NEW = `${INSERT} on conflict do nothing returning id`;

/** Counts the rows that the statement before it inserted: they are beyond `last_order` at either end. */
const COUNT_INSERTED = `update request_queues set total = total + changes(), bytes = bytes
    + (select coalesce(sum(${SIZE}), 0) from queue_requests where queue_no = no and order_no > last_order)
    + (select coalesce(sum(${SIZE}), 0) from queue_requests where queue_no = no and order_no < -last_order),
  last_order = last_order + ?2, ${COUNTERS} where id = ?1 returning no`;

/** Counts the rows that the statement after it will insert; handled requests have no `order_no` to find them by. */
const COUNT_HANDLED = `update request_queues set total = total + c.more, handled = handled + c.more,
    bytes = bytes + c.more_bytes
  from (select count(*) as more, coalesce(sum(${GIVEN_SIZE}), 0) as more_bytes from ${EACH}(?2) g
    where not exists (select 1 from queue_requests where queue_no = ${QUEUE_NO} and id = g.value ->> 0)) c
  where request_queues.id = ?1`;

const READ_BEFORE = `select id, handled_at is not null as handled from queue_requests
  where queue_no = ${QUEUE_NO} and id in (select value ->> 0 from ${EACH}(?2))`;

const COUNT_UPSERTED = `update request_queues set total = total + c.more, handled = handled + c.more_handled,
    bytes = bytes + c.more_bytes, last_order = last_order + ?2, ${COUNTERS}
  from (select count(*) - count(r.id) as more,
      sum(${GIVEN_SIZE}) - coalesce(sum(${SIZE}), 0) as more_bytes,
      sum((g.value ->> 2 is not null) - (r.handled_at is not null)) as more_handled
    from ${EACH}(?7) g left join queue_requests r on r.queue_no = ${QUEUE_NO} and r.id = g.value ->> 0) c
  where request_queues.id = ?1 returning no`;

const UPSERT = `${INSERT} on conflict (queue_no, id) do update set
  order_no = excluded.order_no, handled_at = excluded.handled_at, head = excluded.head, rest = excluded.rest,
  lock_until = case when excluded.handled_at is null then lock_until else 0 end,
  locked_by = case when excluded.handled_at is null then locked_by end`;

/** A client with a key leaves what others have locked. */
const mayDelete = (now: string, client: string) =>
  `(${client} = '' or lock_until <= ${now} or locked_by = ${client})`;

const COUNT_DELETED = `update request_queues set total = total - c.less, handled = handled - c.less_handled,
    bytes = bytes - c.less_bytes, delete_count = delete_count + c.less, ${COUNTERS}
  from (select count(*) as less, count(handled_at) as less_handled, coalesce(sum(${SIZE}), 0) as less_bytes
    from queue_requests
    where queue_no = ${QUEUE_NO} and id in (select value from json_each(?2)) and ${mayDelete('?3', '?7')}) c
  where request_queues.id = ?1 returning no`;

const DELETE = `delete from queue_requests
  where queue_no = ${QUEUE_NO} and id in (select value from json_each(?2)) and ${mayDelete('?3', '?4')} returning id, head`;

const LOCK = `update queue_requests set lock_until = ?4, locked_by = ?5
  where rowid in (select rowid from queue_requests
    where queue_no = ${QUEUE_NO} and order_no is not null and lock_until <= ?2 order by order_no limit ?3)
  returning id, head, order_no`;

const READ_QUEUE = `select modified_at, had_multiple_clients from request_queues where id = ?1`;

const ADVANCE_ORDER = `update request_queues set last_order = last_order + 1 where id = ?1`;

const UPDATE_LOCK = `update queue_requests set lock_until = ?4, locked_by = ?5,
    order_no = ?6 * (select last_order from request_queues where id = ?1)
  where queue_no = ${QUEUE_NO} and id = ?2 and order_no is not null and locked_by = ?3 returning id`;

/** `lock_until > 0` repeats the condition of the partial index, so that it is used. */
const RELEASE_LOCKS = `update queue_requests set lock_until = 0, locked_by = null
  where queue_no = ${QUEUE_NO} and lock_until > ?2 and lock_until > 0 and locked_by = ?3 returning id`;

type ListColumn = 'id' | 'order_no';

type Condition = (now: unknown) => RawBuilder<unknown>;

/** The sizes of the requests of a page, without reading their texts. */
const sizesOf = (
  column: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  { no, after, limit }: { no: Expression<number>; after: string | number; limit: number },
) => sql`
  select id, order_no, octet_length(head) + coalesce(octet_length(rest), 0) as own
  from queue_requests where queue_no = ${no} and ${column} > ${after} ${condition} order by ${column} limit ${limit}`;

/** A page whose requests have less bytes together than a page may have, as nearly all; else nothing. */
const wholePageBy = (by: ListColumn, condition: Condition = () => sql``) =>
  buildOnce((_db, queueId: string, after: string | number, limit: number, now: number) => {
    const column = sql.ref(by);
    const no = numberOf(queueId);
    return sql<ListedRow>`
      select ${sql.join(LIST_COLUMNS.map((name) => sql.ref(name)))}, 0 as bytes from queue_requests
      where queue_no = ${no} and ${column} > ${after} ${condition(now)}
        and (select sum(own) from (${sizesOf(column, condition(now), { no, after, limit })})) < ${MAX_LIST_BYTES}
      order by ${column} limit ${limit}`;
  });

/** The rows up to a limit, and up to as many bytes as a page may have. */
const cutPageBy = (by: ListColumn, condition: Condition = () => sql``) =>
  buildOnce((_db, queueId: string, after: string | number, limit: number, now: number) => {
    const column = sql.ref(by);
    const no = numberOf(queueId);
    return sql<ListedRow>`
      select ${sql.join(LIST_COLUMNS.map((name) => sql.ref(`r.${name}`)))}, sized.bytes
      from (
        select id, own, sum(own) over (order by ${column}) as bytes
        from (${sizesOf(column, condition(now), { no, after, limit })})
      ) as sized cross join queue_requests r
      where r.queue_no = ${no} and r.id = sized.id and sized.bytes - sized.own < ${MAX_LIST_BYTES}`;
  });

const listBy = (by: ListColumn, condition?: Condition) => ({
  whole: wholePageBy(by, condition),
  cut: cutPageBy(by, condition),
});

const LIST_HEAD = buildOnce((db, queueId: string, now: number, limit: number) =>
  db
    .selectFrom('queue_requests')
    .select(['id', 'head'])
    .where('queue_no', '=', numberOf(queueId))
    .where('order_no', 'is not', null)
    .where('lock_until', '<=', now)
    .orderBy('order_no')
    .limit(limit),
);

const LIST_BY_ID = listBy('id');
const LIST_IN_ORDER = {
  both: listBy('order_no'),
  pending: listBy('order_no', (now) => sql`and lock_until <= ${now}`),
  locked: listBy('order_no', (now) => sql`and lock_until > ${now}`),
};

export const sqliteStatements: QueueStatements = {
  async insert(engine, queueId, entries, context) {
    const pending = entries.filter(({ handledAt }) => handledAt === null);
    const handled = entries.filter(({ handledAt }) => handledAt !== null);
    const [first, counted, , second] = await engine.batch([
      CompiledQuery.raw(INSERT_NEW, [queueId, toParameter(pending), 0]),
      CompiledQuery.raw(COUNT_INSERTED, [queueId, pending.length, ...valuesOf(context)]),
      // Requests that arrive already handled are rare.
      ...(handled.length === 0
        ? []
        : [
            CompiledQuery.raw(COUNT_HANDLED, [queueId, toParameter(handled)]),
            CompiledQuery.raw(INSERT_NEW, [queueId, toParameter(handled), 0]),
          ]),
    ]);
    if (counted!.rows.length === 0) return undefined;
    const rows = [...first!.rows, ...(second?.rows ?? [])] as { id: string }[];
    return new Set(rows.map(({ id }) => id));
  },

  async upsert(engine, queueId, entries, context) {
    const given = toParameter(entries);
    const [before, counted] = await engine.batch([
      CompiledQuery.raw(READ_BEFORE, [queueId, given]),
      CompiledQuery.raw(COUNT_UPSERTED, [queueId, entries.length, ...valuesOf(context), given]),
      CompiledQuery.raw(UPSERT, [queueId, given, entries.length]),
    ]);
    return counted!.rows.length === 0 ? undefined : { before: before!.rows as PreviousState[], missed: [] };
  },

  async delete(engine, queueId, ids, client, context) {
    const given = JSON.stringify(ids);
    const [counted, deleted] = await engine.batch([
      CompiledQuery.raw(COUNT_DELETED, [queueId, given, ...valuesOf(context), client]),
      CompiledQuery.raw(DELETE, [queueId, given, context.now, client]),
    ]);
    return counted!.rows.length === 0 ? undefined : (deleted!.rows as HeadRow[]);
  },

  async listHead({ db }, queueId, limit, now) {
    return (await db.executeQuery(LIST_HEAD(db, queueId, now, limit))).rows;
  },

  async list({ db }, queueId, query) {
    const list = query.by === 'id' ? LIST_BY_ID : LIST_IN_ORDER[query.states];
    const { after, limit, now } = query;
    const { rows } = await db.executeQuery(list.whole(db, queueId, after, limit, now));
    return rows.length > 0 ? rows : (await db.executeQuery(list.cut(db, queueId, after, limit, now))).rows;
  },

  async listIds({ db }, queueId, limit) {
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

  async updateLock(engine, { queueId, id, client }, { until, nextClient, signMessage }) {
    const [, updated] = await engine.batch([
      CompiledQuery.raw(ADVANCE_ORDER, [queueId]),
      CompiledQuery.raw(UPDATE_LOCK, [queueId, id, client, until, nextClient, signMessage]),
    ]);
    return updated!.rows.length > 0;
  },

  async releaseLocks({ db }, queueId, client, now) {
    const { rows } = await db.executeQuery(CompiledQuery.raw(RELEASE_LOCKS, [queueId, now, client]));
    return rows.length;
  },
};

/** The entries as one parameter, each in the form `[id, forefront, handledAt, head, rest]`. */
function toParameter(entries: RequestEntry[]): string {
  const rows = entries.map(
    ({ id, forefront, handledAt, head, rest }) =>
      `["${id}",${forefront ? 1 : 0},${handledAt},${head},${rest}]`,
  );
  return `[${rows.join(',')}]`;
}

function valuesOf({ now, reads, headReads, writes }: WriteContext): number[] {
  return [now, reads, headReads, writes];
}

function isAtLeast(version: string | undefined, major: number, minor: number): boolean {
  const [first = 0, second = 0] = (version ?? '').split('.').map(Number);
  return first > major || (first === major && second >= minor);
}
