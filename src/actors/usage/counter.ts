// Counts what is used of storages in memory, and writes it down behind the calls: a write for each would cost more.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Storage } from '../storages/model.ts';
import { DAY, type Service } from './model.ts';
import { addUsage, type Use } from './store.ts';

const SAVE_MS = 1000;

interface Counts {
  pending: Map<string, Use>;
  /** What is being written; those that come after wait for it. */
  saving: Promise<void>;
}

const all = new WeakMap<Kernel, Counts>();

function countsOf(kernel: Kernel): Counts {
  let counts = all.get(kernel);
  if (counts === undefined) all.set(kernel, (counts = { pending: new Map(), saving: Promise.resolve() }));
  return counts;
}

/** For the account that owns the storage, whoever calls. */
export function countUsage(
  kernel: Kernel,
  { userId }: Pick<Storage, 'userId'>,
  service: Service,
  quantity: number,
): void {
  if (quantity === 0) return;
  const { pending } = countsOf(kernel);
  if (pending.size === 0) setTimeout(() => void saveUsage(kernel), SAVE_MS).unref();
  const now = kernel.clock.now();
  const day = now - (now % DAY);
  const key = `${userId} ${day} ${service}`;
  const use = pending.get(key);
  if (use === undefined) pending.set(key, { userId, day, service, quantity });
  else use.quantity += quantity;
}

/** The same bytes; counted as a transfer when the reader has them, or goes away. */
export async function* countTransfer(
  kernel: Kernel,
  storage: Pick<Storage, 'userId'>,
  source: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string, void> {
  let bytes = 0;
  try {
    for await (const chunk of source) {
      bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
      yield chunk;
    }
  } finally {
    countUsage(kernel, storage, 'DATA_TRANSFER_EXTERNAL_GBYTES', bytes);
  }
}

/** After this the database knows all that was counted before. It does not fail: figures are not worth a call. */
export function saveUsage(kernel: Kernel): Promise<void> {
  const counts = countsOf(kernel);
  const { pending } = counts;
  if (pending.size === 0) return counts.saving;
  counts.pending = new Map();
  counts.saving = counts.saving
    .then(() => addUsage(kernel.engine, [...pending.values()]))
    .catch((error: unknown) => {
      kernel.log.warn({ err: error }, 'some use of storages is not counted');
    });
  return counts.saving;
}
