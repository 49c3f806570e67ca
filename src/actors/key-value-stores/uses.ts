// How often stores are read and listed: counted in memory and written behind the calls, as a write for each would cost more.
import type { Kernel } from '../../kernel/kernel.ts';
import { addUses, type Uses } from './store.ts';

const FLUSH_MS = 1000;

const counts = new WeakMap<Kernel, Map<string, Uses>>();

export function countUse(kernel: Kernel, storeId: string, use: keyof Uses): void {
  let pending = counts.get(kernel);
  if (pending === undefined) {
    counts.set(kernel, (pending = new Map()));
    setTimeout(() => void flush(kernel), FLUSH_MS).unref();
  }
  const uses = pending.get(storeId) ?? { reads: 0, lists: 0 };
  uses[use] += 1;
  pending.set(storeId, uses);
}

/** What is counted here and not yet in the database. */
export function pendingUses(kernel: Kernel, storeId: string): Uses {
  return counts.get(kernel)?.get(storeId) ?? { reads: 0, lists: 0 };
}

async function flush(kernel: Kernel): Promise<void> {
  const pending = counts.get(kernel)!;
  counts.delete(kernel);
  try {
    await addUses(kernel.engine, pending);
  } catch (error) {
    kernel.log.debug({ err: error }, 'some reads of key-value stores are not counted');
  }
}
