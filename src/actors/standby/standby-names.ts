// What names in paths stand for, remembered for a moment.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import type { PoolSettings } from './model.ts';
import type { PoolKey, StartRun } from './pool.ts';

export interface StandbyProgram {
  /** Runs belong to the caller's account, also those of an Actor of others. */
  key: PoolKey;
  settings: PoolSettings;
  start: StartRun;
}

/** What a name stands for, for one caller who may run it. */
export interface ResolvedName {
  action: 'runActor' | 'runTask';
  resource: string;
  open(meta: JobMeta): StandbyProgram;
}

const MAX_NAMES = 100;

/** By caller: one with other permissions is another one. */
export class StandbyNames {
  readonly #known = new WeakMap<KnownCaller, BoundedCache<string, ResolvedName>>();

  of(caller: KnownCaller): BoundedCache<string, ResolvedName> {
    const known = this.#known.get(caller) ?? new BoundedCache<string, ResolvedName>({ max: MAX_NAMES });
    this.#known.set(caller, known);
    return known;
  }
}
