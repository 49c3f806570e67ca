// Reading requests: the head, lists, and single ones, of which those asked for at the same time are read together.
import { sql } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import { statementsOf } from './engines.ts';
import { Gatherer } from './gather.ts';
import { encodeCursor, type Cursor } from './cursor.ts';
import { isRequestId, type StoredRequest } from './request.ts';
import { MOST_BYTES, STORED, type HeadRow } from './statements.ts';
import { numberOf } from './store.ts';

type Found = StoredRequest | undefined;

/** Of single requests. */
export interface Reader {
  reads: Gatherer<string, Found>;
}

export function openReader(engine: Engine): Reader {
  const query = compile(engine);
  return {
    reads: new Gatherer((queue, ids) => findAll(engine, query, queue, ids), { most: 100, sizeOf: () => 1 }),
  };
}

export async function findRequest({ reads }: Reader, queueId: string, id: string): Promise<Found> {
  return isRequestId(id) ? (await reads.add(queueId, [id]))[0] : undefined;
}

/** Those that are there. */
export async function findRequests(
  { reads }: Reader,
  queueId: string,
  ids: string[],
): Promise<StoredRequest[]> {
  if (ids.length === 0) return [];
  const found = await reads.add(queueId, ids);
  return found.filter((request) => request !== undefined);
}

async function findAll(
  engine: Engine,
  query: SqlStatement,
  queueId: string,
  ids: string[],
): Promise<Found[]> {
  const parameters = [queueId, engine.kind === 'sqlite' ? JSON.stringify(ids) : ids];
  const { rows } = await engine.db.executeQuery({ ...query, parameters });
  const byId = new Map((rows as StoredRequest[]).map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

/** Built once, as that costs more than running it; its parameters are the queue and the ids. */
function compile({ db, kind }: Engine): SqlStatement {
  const ids = kind === 'sqlite' ? sql`in (select value from json_each(${''}))` : sql`= any (${''})`;
  return db
    .selectFrom('queue_requests')
    .select(STORED)
    .where('queue_no', '=', numberOf(''))
    .where(sql<boolean>`id ${ids}`)
    .compile();
}

/** The first requests that are pending and that nobody holds. */
export function readHead(engine: Engine, queueId: string, limit: number, now: number): Promise<HeadRow[]> {
  return statementsOf(engine).head(engine, queueId, limit, now);
}

/** Before any place in a queue. */
const FIRST = Number.MIN_SAFE_INTEGER;

export interface ListOrder {
  limit: number;
  after?: Cursor | undefined;
  /** All requests without one, by id; else those in any of these states, in the order of the queue. */
  filter?: readonly ('locked' | 'pending')[] | undefined;
}

export async function listRequests(
  engine: Engine,
  queueId: string,
  { limit, after, filter }: ListOrder,
  now: number,
): Promise<{ rows: StoredRequest[]; nextCursor?: string }> {
  // One more than asked for tells whether there are more.
  const some = { limit: limit + 1, now };
  const found = await statementsOf(engine).list(
    engine,
    queueId,
    filter === undefined
      ? { ...some, by: 'id', after: after && 'afterId' in after ? after.afterId : '' }
      : {
          ...some,
          by: 'order_no',
          after: after && 'afterOrder' in after ? after.afterOrder : FIRST,
          states: filter.includes('locked') ? (filter.includes('pending') ? 'both' : 'locked') : 'pending',
        },
  );
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (last === undefined || (found.length <= limit && last.bytes < MOST_BYTES)) return { rows };
  const next = filter === undefined ? { afterId: last.id } : { afterOrder: last.order_no! };
  return { rows, nextCursor: encodeCursor(next) };
}
