// Reads requests of queues whose locks expired: by an index for each of an account's newest queues, and no more rows than a bound.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

/** The newest queues of an account, and as many of its newest named ones, which live longer. */
const MAX_QUEUES = 100;
/** Of one queue. */
const MAX_EXPIRED = 1000;
const MAX_HOLDERS = 10;

export interface ExpiryTime {
  after: number;
  upTo: number;
}

interface QueueWithExpiredLocks {
  no: number;
  id: string;
  title: string | null;
  name: string | null;
  actRunId: string | null;
}

/** Those with a request whose lock expired in that time, and which no client has locked again. */
export async function listQueuesWithExpiredLocks(
  db: Db,
  userId: string,
  { after, upTo }: ExpiryTime,
): Promise<QueueWithExpiredLocks[]> {
  const found = new Map<string, QueueWithExpiredLocks>();
  for (const isNamed of [false, true]) {
    const rows = await db
      .selectFrom((eb) =>
        eb
          .selectFrom('storages')
          .select(['id', 'title', 'name', 'act_run_id as actRunId'])
          .where('user_id', '=', userId)
          .where('kind', '=', 'request-queue')
          .$if(isNamed, (query) => query.where('name', 'is not', null))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(MAX_QUEUES)
          .as('own'),
      )
      .innerJoin('request_queues', 'request_queues.id', 'own.id')
      .select(['request_queues.no', 'own.id', 'own.title', 'own.name', 'own.actRunId'])
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('queue_requests')
            .select('queue_requests.queue_no')
            .whereRef('queue_requests.queue_no', '=', 'request_queues.no')
            .where('queue_requests.lock_until', '>', after)
            .where('queue_requests.lock_until', '<=', upTo)
            .where(hasLock),
        ),
      )
      .execute();
    for (const row of rows) found.set(row.id, row);
  }
  return [...found.values()];
}

/** Repeats the condition of the partial index, which neither engine derives from a comparison with a value. */
const hasLock = sql<boolean>`queue_requests.lock_until > 0`;

interface LockHolderCount {
  /** Empty for a client without a key. */
  client: string;
  count: number;
  lastAt: number;
}

/** Who held the locks, those with most first; of very many locks, those that expired last. */
export async function countExpiredLocks(
  db: Db,
  queueNo: number,
  { after, upTo }: ExpiryTime,
): Promise<LockHolderCount[]> {
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('queue_requests')
        .select(['locked_by', 'lock_until'])
        .where('queue_no', '=', queueNo)
        .where('lock_until', '>', after)
        .where('lock_until', '<=', upTo)
        .where(hasLock)
        .orderBy('lock_until', 'desc')
        .limit(MAX_EXPIRED)
        .as('some'),
    )
    .select(({ fn }) => [
      'some.locked_by as client',
      fn.countAll<number | string>().as('count'),
      fn.max('some.lock_until').as('lastAt'),
    ])
    .groupBy('some.locked_by')
    .orderBy('count', 'desc')
    .orderBy('client')
    .limit(MAX_HOLDERS)
    .execute();
  return rows.map(({ client, count, lastAt }) => ({
    client: client ?? '',
    count: Number(count),
    lastAt,
  }));
}
