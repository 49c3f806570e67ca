// Notes which SDKs connect, and saves each once an hour: a write for every request would cost too much.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { KeyKind } from '../delivery/keys.ts';
import type { SdkNames } from './sdk-names.ts';
import { saveActivity } from './store.ts';
import type { SdkActivityRow } from './tables.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    sdkActivity: SdkActivity;
  }
}

const SAVE_INTERVAL_MS = 1000;
/** A time is exact to this. */
const EXACT_MS = 60 * 60_000;
const MAX_NOTED = 10_000;

export class SdkActivity {
  readonly #kernel: Pick<Kernel, 'engine' | 'log'>;
  /** When each was noted last, by environment, kind of key and names. */
  readonly #noted = new BoundedCache<string, number>({ max: MAX_NOTED });
  #waiting: SdkActivityRow[] = [];
  /** The save in progress; later ones wait for it. */
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(kernel: Pick<Kernel, 'engine' | 'log'>) {
    this.#kernel = kernel;
  }

  /** It is saved within about a second. */
  note(environmentId: string, kind: KeyKind, { sdk, wrapper }: SdkNames, now: number): void {
    const row = { environment_id: environmentId, key_kind: kind, sdk, wrapper, seen_at: now };
    const name = nameOf(row);
    const noted = this.#noted.get(name);
    if (noted !== undefined && now - noted < EXACT_MS) return;
    // Where storage is away, some are not noted.
    if (this.#waiting.length >= MAX_NOTED) return;
    this.#noted.set(name, now);
    this.#waiting.push(row);
    this.#timer ??= setTimeout(() => void this.save(), SAVE_INTERVAL_MS).unref();
  }

  /** Resolves when everything noted before has been saved, or could not be. It never rejects. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#saving = this.#saving.then(() => this.#saveWaiting()));
  }

  async #saveWaiting(): Promise<void> {
    const rows = this.#waiting;
    this.#waiting = [];
    try {
      await saveActivity(this.#kernel.engine.db, rows);
    } catch (error) {
      // The SDKs connect again, and most of them within the hour.
      for (const row of rows) this.#noted.delete(nameOf(row));
      this.#kernel.log.warn({ err: error, sdks: rows.length }, 'activity of SDKs could not be saved');
    }
  }
}

/** Names of SDKs are the callers' words and may have spaces, so that parts are not just joined. */
function nameOf({ environment_id, key_kind, sdk, wrapper }: SdkActivityRow): string {
  return JSON.stringify([environment_id, key_kind, sdk, wrapper]);
}
