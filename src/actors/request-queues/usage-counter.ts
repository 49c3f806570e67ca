// Counts reads and locks of each queue in memory until its next write stores them, so that counting a read costs no write.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';

export interface QueueUsage {
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
