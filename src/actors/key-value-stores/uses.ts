// How often stores are read and listed: counted in memory and written behind the calls, as a write for each would cost more.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Storage } from '../storages/model.ts';
import { countUsage } from '../usage/counter.ts';
import { addUses, type Uses } from './store.ts';

const SAVE_MS = 1000;

interface Counts {
  pending: Map<string, Uses>;
  /** What is being written; those that come after wait for it. */
  saving: Promise<void>;
}

const all = new WeakMap<Kernel, Counts>();

function countsOf(kernel: Kernel): Counts {
  let counts = all.get(kernel);
  if (counts === undefined) all.set(kernel, (counts = { pending: new Map(), saving: Promise.resolve() }));
  return counts;
}

export function countUse(kernel: Kernel, storage: Storage, use: keyof Uses): void {
  countUsage(kernel, storage, use === 'reads' ? 'KEY_VALUE_STORE_READS' : 'KEY_VALUE_STORE_LISTS', 1);
  const { id: storeId } = storage;
  const { pending } = countsOf(kernel);
  if (pending.size === 0) setTimeout(() => void saveUses(kernel), SAVE_MS).unref();
  const uses = pending.get(storeId) ?? { reads: 0, lists: 0 };
  uses[use] += 1;
  pending.set(storeId, uses);
}

/** After this the database knows all that was counted before. It does not fail: numbers are not worth a call. */
export function saveUses(kernel: Kernel): Promise<void> {
  const counts = countsOf(kernel);
  const { pending } = counts;
  if (pending.size === 0) return counts.saving;
  counts.pending = new Map();
  counts.saving = counts.saving
    .then(() => addUses(kernel.engine, pending))
    .catch((error: unknown) => {
      kernel.log.debug({ err: error }, 'some reads of key-value stores are not counted');
    });
  return counts.saving;
}
