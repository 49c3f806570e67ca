// Requests of a queue that were handled with errors, in the database: nothing counts them, so a bounded number of requests is looked through.
import { sql } from 'kysely';
import { numberOf } from '../../actors/request-queues/store.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** By one call. */
export const MAX_SEARCHED_REQUESTS = 20_000;

export interface FailedRequests {
  /** Of the first ones. */
  ids: string[];
  failed: number;
  searched: number;
}

/** In the order of their ids. `maxBytes` is for the content of those whose ids are returned. */
export async function findFailedRequests(
  db: Db,
  queueId: string,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<FailedRequests> {
  const some = db
    .selectFrom('queue_requests')
    .select(['id', 'handled_at', 'rest'])
    .where('queue_no', '=', numberOf(queueId))
    .orderBy('id')
    .limit(MAX_SEARCHED_REQUESTS);
  // Errors stand last in the JSON of a request, so that nothing else ends like this.
  const isFailed = sql<boolean>`handled_at is not null and rest like ${'%"errorMessages":["%"]}'}`;
  const { searched, failed } = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => [
      fn.countAll<number | string>().as('searched'),
      sql<number | string>`coalesce(sum(case when ${isFailed} then 1 else 0 end), 0)`.as('failed'),
    ])
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom(some.as('some'))
    .select(['id', sql<number | string>`length(rest)`.as('bytes')])
    .where(isFailed)
    .orderBy('id')
    .limit(limit)
    .execute();
  const ids: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += Number(row.bytes);
    if (ids.length > 0 && bytes > maxBytes) break;
    ids.push(row.id);
  }
  return { ids, failed: Number(failed), searched: Number(searched) };
}
