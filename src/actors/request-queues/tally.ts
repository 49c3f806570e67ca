// Counts reads and locks in memory until the next write takes them along: a read should not cost a write to be counted.
import type { Engine } from '../../kernel/storage/engine.ts';

export interface Tally {
  reads: number;
  headReads: number;
  writes: number;
}

const tallies = new WeakMap<Engine, Map<string, Tally>>();
const MOST_QUEUES = 10_000;

function tallyOf(engine: Engine): Map<string, Tally> {
  let known = tallies.get(engine);
  if (known === undefined) tallies.set(engine, (known = new Map()));
  return known;
}

export function countUse(engine: Engine, queueId: string, use: Partial<Tally>): void {
  const queues = tallyOf(engine);
  const tally = queues.get(queueId) ?? { reads: 0, headReads: 0, writes: 0 };
  tally.reads += use.reads ?? 0;
  tally.headReads += use.headReads ?? 0;
  tally.writes += use.writes ?? 0;
  // These are statistics: in a server with very many queues some may get lost.
  if (queues.size >= MOST_QUEUES) queues.clear();
  queues.set(queueId, tally);
}

/** What was counted since the last time; the caller writes it down. */
export function takeTally(engine: Engine, queueId: string): Tally {
  const queues = tallyOf(engine);
  const tally = queues.get(queueId) ?? { reads: 0, headReads: 0, writes: 0 };
  queues.delete(queueId);
  return tally;
}
