// What a server keeps in memory for its request queues.
import type { Engine } from '../../kernel/storage/engine.ts';
import { openClients, type Clients } from './store-clients.ts';
import { openReader, type Reader } from './store-reads.ts';
import { openTallies } from './tally.ts';
import { openWriters, type Writers } from './store-writes.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    queues: Queues;
  }
}

export interface Queues extends Reader, Writers, Clients {}

export function openQueues(engine: Engine): Queues {
  const tallies = openTallies();
  return { ...openReader(engine), ...openWriters({ engine, tallies }), ...openClients(engine) };
}
