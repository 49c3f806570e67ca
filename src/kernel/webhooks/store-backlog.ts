// How far the delivery of webhooks is behind: counts that end at a bound, whatever waits.
import type { Db } from '../storage/tables.ts';

export interface DeliveryBacklog {
  /** Those that wait. */
  pending: number;
  /** Those of them that have failed at least once. */
  retrying: number;
  /** Those that were given up, among the last that ended since then. */
  failed: number;
}

/** No count is above `max`, and no more rows are read for any. */
export async function readDeliveryBacklog(db: Db, since: number, max: number): Promise<DeliveryBacklog> {
  const [waiting, ended] = await Promise.all([
    db
      .selectFrom('deliveries')
      .select(['attempts', 'attempts_before'])
      .where('due_at', 'is not', null)
      .limit(max)
      .execute(),
    db
      .selectFrom('deliveries')
      .select('state')
      .where('finished_at', 'is not', null)
      .where('finished_at', '>', since)
      .orderBy('finished_at', 'desc')
      .limit(max)
      .execute(),
  ]);
  return {
    pending: waiting.length,
    retrying: waiting.filter(({ attempts, attempts_before }) => attempts > attempts_before).length,
    failed: ended.filter(({ state }) => state === 'failed').length,
  };
}
