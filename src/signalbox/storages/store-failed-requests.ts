// Requests of a queue that were handled with errors, in the database: nothing counts them, so a bounded number of requests is looked through.
import { sql } from 'kysely';
import { numberOf } from '../../actors/request-queues/store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';

/** By one call. */
export const MAX_SEARCHED_REQUESTS = 20_000;
/** Of so many of those that have errors, these are read. */
export const MAX_READ_ERRORS = 1000;
/** Of a request, from its end: its errors stand there. */
const MAX_ERROR_TEXT = 4000;

export interface FailedRequest {
  id: string;
  /** Of its content. */
  bytes: number;
  /** The last one: after it, the request was given up. */
  error: string;
}

export interface FailedRequests {
  /** The first ones, in the order of their ids. */
  requests: FailedRequest[];
  failed: number;
  searched: number;
}

export async function findFailedRequests(db: Db, queueId: string): Promise<FailedRequests> {
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
  if (Number(failed) === 0) return { requests: [], failed: 0, searched: Number(searched) };
  const rows = await db
    .selectFrom(some.as('some'))
    .select([
      'id',
      sql<number | string>`length(rest)`.as('bytes'),
      sql<string>`substr(rest, length(rest) - ${sql.lit(MAX_ERROR_TEXT - 1)})`.as('end'),
    ])
    .where(isFailed)
    .orderBy('id')
    .limit(MAX_READ_ERRORS)
    .execute();
  const requests = await mapInSlices(rows, ({ id, bytes, end }) => ({
    id,
    bytes: Number(bytes),
    error: lastError(end),
  }));
  return { requests, failed: Number(failed), searched: Number(searched) };
}

/** Of the JSON of a request, or of its end; a longer error begins somewhere in its middle. */
function lastError(end: string): string {
  const [, text = ''] = /"((?:[^"\\]|\\.)*)"\]\}$/s.exec(end) ?? [];
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
