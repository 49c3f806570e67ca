// Key-value stores.
import type { Part } from '../../kernel/part.ts';
import { keyValueStoreMigrations } from '../migrations/key-value-stores.ts';
import { orphanSweep } from './purge.ts';
import { keyValueStoreRoutes } from './routes.ts';

export const keyValueStorePart: Part = {
  routes: keyValueStoreRoutes,
  migrations: keyValueStoreMigrations,
  work: (kernel) => ({ recurring: [orphanSweep(kernel)] }),
  close: ({ services }) => services.storeUses.save(),
};
