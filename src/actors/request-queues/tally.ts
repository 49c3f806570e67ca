// Counts reads and locks in memory until the next write takes them along: a read should not cost a write to be counted.
import { BoundedCache } from '../../kernel/bounded-cache.ts';

export interface Tally {
  reads: number;
  headReads: number;
  writes: number;
}

/** By the id of the queue. These are statistics: in a server with very many queues some may get lost. */
export type Tallies = BoundedCache<string, Tally>;

export function openTallies(): Tallies {
  return new BoundedCache({ max: 10_000 });
}

const nothing = (): Tally => ({ reads: 0, headReads: 0, writes: 0 });

export function countUse({ tallies }: { tallies: Tallies }, queueId: string, use: Partial<Tally>): void {
  const tally = tallies.get(queueId) ?? nothing();
  tally.reads += use.reads ?? 0;
  tally.headReads += use.headReads ?? 0;
  tally.writes += use.writes ?? 0;
  tallies.set(queueId, tally);
}

/** What was counted since the last time; the caller writes it down. */
export function takeTally({ tallies }: { tallies: Tallies }, queueId: string): Tally {
  const tally = tallies.get(queueId) ?? nothing();
  tallies.delete(queueId);
  return tally;
}
