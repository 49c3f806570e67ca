// How long what piles up by itself is kept: a setting for each kind, and one sweep that deletes the rest in small steps. ADR 0177.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { RecurringWork } from '../http/protocol.ts';

/** What has a setting of its own. Runs, builds and unnamed storages follow their account. */
export type Retained = 'audit' | 'deliveries' | 'events' | 'evaluations' | 'runCalls' | 'usage';

declare module '../kernel.ts' {
  interface Settings {
    /** In milliseconds; infinite for what is kept for ever. */
    retained: Readonly<Record<Retained, number>>;
  }
}

interface RetentionSweep {
  /** Of its due work. */
  kind: string;
  retained: Retained;
  /** Deletes what is from before, or only some of it and says how much: then it is asked again, until nothing is left. */
  deleteBefore(before: number, signal: AbortSignal): Promise<number | void>;
}

const HOUR = 60 * 60 * 1000;

export function retentionSweep(
  { clock, settings }: { clock: Clock; settings: { retained: Readonly<Record<Retained, number>> } },
  { kind, retained, deleteBefore }: RetentionSweep,
): RecurringWork {
  return {
    kind,
    everyMs: HOUR,
    async run(signal) {
      const before = clock.now() - settings.retained[retained];
      if (before === -Infinity) return;
      while (!signal.aborted && ((await deleteBefore(before, signal)) ?? 0) > 0) await setImmediate();
    },
  };
}
