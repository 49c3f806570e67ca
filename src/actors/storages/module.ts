// What datasets, key-value stores and request queues share: their table, their transfer and their removal.
import type { Module } from '../../kernel/http/module.ts';
import { storageMigrations } from '../migrations/storages.ts';
import type { StorageKind } from './model.ts';
import { transferStorages } from './store-transfers.ts';
import { storageWork, type Purge } from './work.ts';

/** The part of one kind of storage, which knows how to delete the contents of a deleted one. */
export interface StorageKindPart extends Module {
  kind: StorageKind;
  purge: Purge;
}

export function storageModule(kinds: readonly StorageKindPart[]): Module {
  return {
    migrations: storageMigrations,
    transferOwnership: transferStorages,
    work: (kernel) => storageWork(kernel, new Map(kinds.map(({ kind, purge }) => [kind, purge]))),
  };
}
