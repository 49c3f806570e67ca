// Key-value stores.
import type { Part } from '../../kernel/part.ts';
import { keyValueStoreMigrations } from '../migrations/key-value-stores.ts';
import { orphanSweep } from './purge.ts';
import { keyValueStoreRoutes } from './routes.ts';

export const keyValueStorePart: Part = {
  tag: { name: 'Key-value stores', description: 'Records of any content type by their keys' },
  routes: keyValueStoreRoutes,
  migrations: keyValueStoreMigrations,
  work: (kernel) => ({ recurring: [orphanSweep(kernel)] }),
  close: ({ services }) => services.storeUses.save(),
};
