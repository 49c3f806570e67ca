// Reads requests: the head, lists, and single ones, which concurrent calls read in one batch.
import { sql } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import { statementsOf } from './engine-statements.ts';
import { Batcher } from './batcher.ts';
import { encodeCursor, type RequestCursor, isRequestId, type StoredRequest } from './request.ts';
import { MAX_LIST_BYTES, REQUEST_COLUMNS, type HeadRow } from './statements.ts';
import { numberOf } from './store.ts';

type MaybeRequest = StoredRequest | undefined;

/** Reads single requests. */
export interface RequestReader {
  reads: Batcher<string, MaybeRequest>;
}

export function openRequestReader(engine: Engine): RequestReader {
  const query = compile(engine);
  return {
    reads: new Batcher((queue, ids) => findAll(engine, query, queue, ids), { maxSize: 100, sizeOf: () => 1 }),
  };
}

export async function findRequest(
  { reads }: RequestReader,
  queueId: string,
  id: string,
): Promise<MaybeRequest> {
  return isRequestId(id) ? (await reads.add(queueId, [id]))[0] : undefined;
}

/** The requests that exist, of those with these ids. */
export async function findRequests(
  { reads }: RequestReader,
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
): Promise<MaybeRequest[]> {
  const parameters = [queueId, engine.kind === 'sqlite' ? JSON.stringify(ids) : ids];
  const { rows } = await engine.db.executeQuery({ ...query, parameters });
  const byId = new Map((rows as StoredRequest[]).map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

/** Built once, because building costs more than running; its parameters are the queue and the ids. */
function compile({ db, kind }: Engine): SqlStatement {
  const ids = kind === 'sqlite' ? sql`in (select value from json_each(${''}))` : sql`= any (${''})`;
  return db
    .selectFrom('queue_requests')
    .select(REQUEST_COLUMNS)
    .where('queue_no', '=', numberOf(''))
    .where(sql<boolean>`id ${ids}`)
    .compile();
}

/** The first requests that are pending and have no lock. */
export function listHead(engine: Engine, queueId: string, limit: number, now: number): Promise<HeadRow[]> {
  return statementsOf(engine).listHead(engine, queueId, limit, now);
}

/** Less than any `order_no`. */
const FIRST = Number.MIN_SAFE_INTEGER;

interface RequestListOptions {
  limit: number;
  after?: RequestCursor | undefined;
  /** All requests without one, by id; else those in any of these states, in the order of the queue. */
  filter?: readonly ('locked' | 'pending')[] | undefined;
}

export async function listRequests(
  engine: Engine,
  queueId: string,
  { limit, after, filter }: RequestListOptions,
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
  if (last === undefined || (found.length <= limit && last.bytes < MAX_LIST_BYTES)) return { rows };
  const next = filter === undefined ? { afterId: last.id } : { afterOrder: last.order_no! };
  return { rows, nextCursor: encodeCursor(next) };
}
