// How often stores are read and listed.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Storage } from '../storages/model.ts';
import { BufferedCounter } from '../usage/buffered-counter.ts';
import { countUsage } from '../usage/counter.ts';
import { addUses, type Uses } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    storeUses: BufferedCounter<Uses>;
  }
}

export function openStoreUses({ engine, log }: Pick<Kernel, 'engine' | 'log'>): BufferedCounter<Uses> {
  return new BufferedCounter({
    write: (uses) => addUses(engine, uses),
    onError: (error) => log.debug({ err: error }, 'some reads of key-value stores are not counted'),
  });
}

export function countUse(kernel: Kernel, storage: Storage, use: keyof Uses): void {
  countUsage(kernel, storage, use === 'reads' ? 'KEY_VALUE_STORE_READS' : 'KEY_VALUE_STORE_LISTS', 1);
  kernel.services.storeUses.sumOf(storage.id, () => ({ reads: 0, lists: 0 }))[use] += 1;
}
