// Counts the usage of storages for the account that owns them.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Storage } from '../storages/model.ts';
import { BufferedCounter } from './buffered-counter.ts';
import { DAY, type Service } from './model.ts';
import { addUsage, type AccountDailyUsage } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    usage: BufferedCounter<AccountDailyUsage>;
  }
}

export function openUsage({
  engine,
  log,
}: Pick<Kernel, 'engine' | 'log'>): BufferedCounter<AccountDailyUsage> {
  return new BufferedCounter({
    write: (usage) => addUsage(engine, [...usage.values()]),
    onError: (error) => log.warn({ err: error }, 'some use of storages is not counted'),
  });
}

/** Counts for the account that owns the storage, not for the caller. */
export function countUsage(
  { services, clock }: Pick<Kernel, 'services' | 'clock'>,
  { userId }: Pick<Storage, 'userId'>,
  service: Service,
  quantity: number,
): void {
  if (quantity === 0) return;
  const now = clock.now();
  const day = now - (now % DAY);
  const key = `${userId} ${day} ${service}`;
  services.usage.sumOf(key, () => ({ userId, day, service, quantity: 0 })).quantity += quantity;
}

/** Passes the bytes on, and counts them as a transfer when the reader is done or disconnects. */
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
