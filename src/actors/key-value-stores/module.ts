// Key-value stores.
import { keyValueStoreMigrations } from '../migrations/key-value-stores.ts';
import type { StorageKindPart } from '../storages/module.ts';
import { purgeStore, recordBlobs } from './write-record.ts';
import { keyValueStoreRoutes } from './routes.ts';

export const keyValueStoreModule: StorageKindPart = {
  kind: 'key-value-store',
  tag: { name: 'Key-value stores', description: 'Records of any content type by their keys' },
  routes: keyValueStoreRoutes,
  migrations: keyValueStoreMigrations,
  purge: purgeStore,
  blobKinds: [recordBlobs],
  close: ({ services }) => services.storeUsage.save(),
};
