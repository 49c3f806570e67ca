// Counts the usage of storages for the account that owns them: summed up in memory and written once a second, because a write for each call would cost too much.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Storage } from '../storages/model.ts';
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

const SAVE_INTERVAL_MS = 1000;

interface CounterSettings<Sum> {
  write(sums: Map<string, Sum>): Promise<unknown>;
  /** Sums that could not be written are lost: a call must not fail because of statistics. */
  onError(error: unknown): void;
}

export class BufferedCounter<Sum> {
  readonly #settings: CounterSettings<Sum>;
  #pending = new Map<string, Sum>();
  /** The write in progress; later ones wait for it. */
  #saving: Promise<void> = Promise.resolve();

  constructor(settings: CounterSettings<Sum>) {
    this.#settings = settings;
  }

  /** The pending sum of this key, which the caller adds to. */
  sumOf(key: string, zero: () => Sum): Sum {
    if (this.#pending.size === 0) setTimeout(() => void this.save(), SAVE_INTERVAL_MS).unref();
    let sum = this.#pending.get(key);
    if (sum === undefined) this.#pending.set(key, (sum = zero()));
    return sum;
  }

  /** Resolves when everything counted before has been written. It never rejects. */
  save(): Promise<void> {
    const pending = this.#pending;
    if (pending.size === 0) return this.#saving;
    this.#pending = new Map();
    const { write, onError } = this.#settings;
    this.#saving = this.#saving.then(() => write(pending)).then(() => {}, onError);
    return this.#saving;
  }
}
