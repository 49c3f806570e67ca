// The in-memory state of a server's request queues: batchers, usage counters, seen clients.
import type { Engine } from '../../kernel/storage/engine.ts';
import { openSeenClients, type SeenClients, openUsageCounters } from './store.ts';
import { openRequestReader, type RequestReader } from './store-reads.ts';
import { openRequestWriters, type RequestWriters } from './store-writes.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    queues: Queues;
  }
}

export interface Queues extends RequestReader, RequestWriters, SeenClients {}

export function openQueues(engine: Engine): Queues {
  const usageCounters = openUsageCounters();
  return {
    ...openRequestReader(engine),
    ...openRequestWriters({ engine, usageCounters }),
    ...openSeenClients(engine),
  };
}
