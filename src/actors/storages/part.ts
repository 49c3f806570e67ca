// What datasets, key-value stores and request queues share: their table, their transfer and their removal.
import type { Part } from '../../kernel/module.ts';
import { storageMigrations } from '../migrations/storages.ts';
import type { StorageKind } from './model.ts';
import { handOverStorages } from './store-transfers.ts';
import { storageWork, type Purge } from './work.ts';

/** The part of one kind of storage, which knows how to delete the contents of a deleted one. */
export interface StorageKindPart extends Part {
  kind: StorageKind;
  purge: Purge;
}

export function storagePart(kinds: readonly StorageKindPart[]): Part {
  return {
    migrations: storageMigrations,
    handOver: handOverStorages,
    work: (kernel) => storageWork(kernel, new Map(kinds.map(({ kind, purge }) => [kind, purge]))),
  };
}
