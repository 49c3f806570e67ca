// What datasets, key-value stores and request queues share: their names, and that they end.
import type { Part } from '../../kernel/part.ts';
import { storageMigrations } from '../migrations/storages.ts';
import { purgeDataset } from '../datasets/store.ts';
import { purgeStore } from '../key-value-stores/purge.ts';
import { purgeQueue } from '../request-queues/purge.ts';
import type { StorageKind } from './model.ts';
import { handOverStorages } from './store-transfers.ts';
import { storageWork, type Purge } from './work.ts';

const purges: Record<StorageKind, Purge> = {
  dataset: ({ db }, id, signal) => purgeDataset(db, id, signal),
  'key-value-store': purgeStore,
  'request-queue': ({ engine }, id, signal) => purgeQueue(engine, id, signal),
};

export const storagePart: Part = {
  migrations: storageMigrations,
  handOver: handOverStorages,
  work: (kernel) => storageWork(kernel, purges),
};
