// Request queues in the database, without their requests. Reads and locks are counted in memory until the next write stores them, so that counting a read costs no write.
import { sql, type Expression } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import { insertOf } from '../../kernel/storage/build-once.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { QueueRow } from './tables.ts';

const insertQueueRow = insertOf('request_queues', 'returningAll');

export async function insertQueue(db: Db, id: string, now: number): Promise<QueueRow> {
  const row = {
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
  };
  const { rows } = await db.executeQuery(insertQueueRow(db, row));
  return rows[0]!;
}

export async function findQueues(db: Db, ids: string[]): Promise<Map<string, QueueRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('request_queues').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Stores the usage that was counted in memory, and reads the row. Throws when there is no such queue. */
export async function findQueueWithUsage(
  queues: { engine: Engine; usageCounters: UsageCounters },
  id: string,
): Promise<QueueRow> {
  const { db } = queues.engine;
  const { reads, headReads, writes } = takeUsage(queues, id);
  const row =
    reads + headReads + writes === 0
      ? (await findQueues(db, [id])).get(id)
      : await db
          .updateTable('request_queues')
          .set({
            read_count: sql`read_count + ${reads}`,
            head_item_read_count: sql`head_item_read_count + ${headReads}`,
            write_count: sql`write_count + ${writes}`,
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
  if (row === undefined) throw queueNotFound();
  return row;
}

export async function renameQueue(db: Db, id: string, to: string): Promise<void> {
  await db.updateTable('request_queues').set({ id: to }).where('id', '=', id).execute();
}

/** Only for a queue without requests: it does not delete them. */
export async function deleteQueue(db: Db, id: string): Promise<void> {
  await db.deleteFrom('request_queues').where('id', '=', id).execute();
}

/** The number of a queue, which its requests refer to instead of the id. */
export function numberOf(queueId: string): Expression<number> {
  return sql<number>`(select no from request_queues where id = ${queueId})`;
}

export function queueNotFound(): Failure {
  return new Failure('not-found', 'The request queue was not found');
}

export function requestNotFound(): Failure {
  return new Failure('not-found', 'The request was not found');
}

interface QueueUsage {
  reads: number;
  headReads: number;
  writes: number;
}

/** By the id of the queue. The cache may evict counts when very many queues are in use: they are statistics. */
export type UsageCounters = BoundedCache<string, QueueUsage>;

export function openUsageCounters(): UsageCounters {
  return new BoundedCache({ max: 10_000 });
}

const zero = (): QueueUsage => ({ reads: 0, headReads: 0, writes: 0 });

export function countQueueUse(
  { usageCounters }: { usageCounters: UsageCounters },
  queueId: string,
  use: Partial<QueueUsage>,
): void {
  const usage = usageCounters.get(queueId) ?? zero();
  usage.reads += use.reads ?? 0;
  usage.headReads += use.headReads ?? 0;
  usage.writes += use.writes ?? 0;
  usageCounters.set(queueId, usage);
}

/** Returns the counts since the last call and resets them; the caller stores them. */
export function takeUsage({ usageCounters }: { usageCounters: UsageCounters }, queueId: string): QueueUsage {
  const usage = usageCounters.get(queueId) ?? zero();
  usageCounters.delete(queueId);
  return usage;
}

interface SeenClient {
  client: string;
  hadMultiple: boolean;
}

/** Whether more than one client ever used a queue: stored when it changes, and cached, because nearly every call checks it. */
export interface SeenClients {
  engine: Engine;
  /** By the id of the queue. */
  seenClients: BoundedCache<string, SeenClient>;
}

export function openSeenClients(engine: Engine): SeenClients {
  return { engine, seenClients: new BoundedCache({ max: 10_000 }) };
}

/** A client without a key counts as a new one in each call. Returns a promise only when there is something to write. */
export function recordClient(
  { engine, seenClients }: SeenClients,
  queueId: string,
  client: string,
): Promise<void> | undefined {
  const seen = seenClients.get(queueId);
  if (seen !== undefined && (seen.hadMultiple || (seen.client === client && client !== ''))) return undefined;
  return updateClient(engine, queueId, client).then((stored) => {
    if (stored !== undefined) seenClients.set(queueId, stored);
  });
}

async function updateClient(
  { db }: Engine,
  queueId: string,
  client: string,
): Promise<SeenClient | undefined> {
  const row = await db
    .updateTable('request_queues')
    .set({
      client_key: sql`coalesce(client_key, ${client})`,
      had_multiple_clients: sql`case when client_key <> ${client} or (client_key is not null and ${client} = '')
        then 1 else had_multiple_clients end`,
    })
    .where('id', '=', queueId)
    .returning(['client_key', 'had_multiple_clients'])
    .executeTakeFirst();
  return row && { client: row.client_key!, hadMultiple: row.had_multiple_clients === 1 };
}
