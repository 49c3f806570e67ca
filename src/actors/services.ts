// What the Actors API keeps in memory for one server, made when it starts.
import type { Kernel } from '../kernel/kernel.ts';
import { openDatasetFields } from './datasets/known-fields.ts';
import { openStoreUses } from './key-value-stores/uses.ts';
import { openQueues } from './request-queues/queues.ts';
import { openStorageCache } from './storages/access.ts';
import { openUsage } from './usage/counter.ts';
import { openProxyPasswords } from './users/proxy-password.ts';

export async function openActorsServices(kernel: Pick<Kernel, 'engine' | 'log'>) {
  return {
    storages: await openStorageCache(kernel.engine),
    usage: openUsage(kernel),
    storeUses: openStoreUses(kernel),
    datasetFields: openDatasetFields(),
    proxyPasswords: openProxyPasswords(),
    queues: openQueues(kernel.engine),
  };
}
