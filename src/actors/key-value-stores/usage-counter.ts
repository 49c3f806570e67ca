// Counts how often stores are read and listed, in memory, and adds the sums to the database.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Storage } from '../storages/model.ts';
import { BufferedCounter } from '../usage/buffered-counter.ts';
import { countUsage } from '../usage/usage-counter.ts';
import { addStoreUsage, type StoreUsage } from './store-stats.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    storeUsage: BufferedCounter<StoreUsage>;
  }
}

export function openStoreUsage({ engine, log }: Pick<Kernel, 'engine' | 'log'>): BufferedCounter<StoreUsage> {
  return new BufferedCounter({
    write: (usage) => addStoreUsage(engine, usage),
    onError: (error) => log.debug({ err: error }, 'some reads of key-value stores are not counted'),
  });
}

export function countStoreUse(kernel: Kernel, storage: Storage, use: keyof StoreUsage): void {
  countUsage(kernel, storage, use === 'reads' ? 'KEY_VALUE_STORE_READS' : 'KEY_VALUE_STORE_LISTS', 1);
  kernel.services.storeUsage.sumOf(storage.id, () => ({ reads: 0, lists: 0 }))[use] += 1;
}
