// Single requests, read together: those that are asked for while a query is under way come with the next.
import { sql, type CompiledQuery } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import { Gatherer } from './gather.ts';
import { isRequestId, type StoredRequest } from './model.ts';
import { numberOf, STORED } from './store.ts';

type Found = StoredRequest | undefined;

const readers = new WeakMap<Engine, Gatherer<string, Found>>();

export async function findRequest(engine: Engine, queueId: string, id: string): Promise<Found> {
  if (!isRequestId(id)) return undefined;
  let reader = readers.get(engine);
  if (reader === undefined) {
    const query = compile(engine);
    reader = new Gatherer((queue, ids) => findAll(engine, query, queue, ids));
    readers.set(engine, reader);
  }
  const [found] = await reader.add(queueId, [id]);
  return found;
}

async function findAll(
  engine: Engine,
  query: CompiledQuery,
  queueId: string,
  ids: string[],
): Promise<Found[]> {
  const parameters = [queueId, engine.kind === 'sqlite' ? JSON.stringify(ids) : ids];
  const { rows } = await engine.db.executeQuery<StoredRequest>({
    ...query,
    parameters,
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

/** Built once, as that costs more than running it; its parameters are the queue and the ids. */
function compile({ db, kind }: Engine): CompiledQuery {
  const ids = kind === 'sqlite' ? sql`in (select value from json_each(${''}))` : sql`= any (${''})`;
  return db
    .selectFrom('queue_requests')
    .select(STORED)
    .where('queue_no', '=', numberOf(''))
    .where(sql<boolean>`id ${ids}`)
    .compile();
}
