// The flags that runs read, as far as they name themselves to the flags API: collected in memory, and written together once a second. ADR 0184.
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import { retentionSweep } from '../../kernel/jobs/retention.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { BufferedCounter } from '../usage/usage-counter.ts';
import {
  addRunFlags,
  deleteOldRunFlags,
  MAX_READ_VALUES,
  nameOfRead,
  DEFAULT_IN_CODE,
  UNKNOWN_TO_SDK,
  toFurther,
  type RunFlagCount,
} from './store-flags.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    runFlags: RunFlags;
  }
}

/** As the flags API reports it. */
interface ReportedRead {
  flagKey: string;
  variation: number | null;
  version: number | null;
  value?: string | undefined;
  reason?: string | undefined;
  count: number;
}

/** Of one run, by the value. */
type Tally = Map<string, RunFlagCount>;
const newTally = (): Tally => new Map();

const RUN_ID = /^[0-9a-f]{24}$/;
const FURTHER_NAME = '';
/** Anybody with the key of an environment may name runs: so many wait at a time. */
const MAX_WAITING_RUNS = 5000;
/** SDKs send what is left while their process ends. */
const GRACE_MS = 60_000;

export class RunFlags {
  readonly #waiting: BufferedCounter<Tally>;
  #runs = new Set<string>();

  constructor({ db, log }: { db: Kernel['db']; log: Pick<Kernel['log'], 'warn'> }) {
    this.#waiting = new BufferedCounter({
      write: (tallies) => {
        this.#runs = new Set();
        const reads = [...tallies.values()].flatMap((tally) => [...tally.values()]);
        const newest = reads.reduce((last, { lastAt }) => Math.max(last, lastAt), 0);
        return addRunFlags(db, tallies, newest - GRACE_MS);
      },
      onError: (error) => log.warn({ err: error }, 'some flags that runs have read are not recorded'),
    });
  }

  isReader(name: string): boolean {
    return RUN_ID.test(name);
  }

  note(runId: string, environmentId: string, reads: readonly ReportedRead[], now: number): void {
    if (!this.#runs.has(runId) && this.#runs.size >= MAX_WAITING_RUNS) return;
    this.#runs.add(runId);
    const tally = this.#waiting.sumOf(runId, newTally);
    for (const read of reads) add(tally, toCount(environmentId, read, now));
  }

  /** Resolves when everything noted before has been written. It never rejects. */
  save(): Promise<void> {
    return this.#waiting.save();
  }
}

function toCount(environmentId: string, read: ReportedRead, now: number): RunFlagCount {
  const { flagKey, variation, version, value = null, reason = null, count } = read;
  return {
    environmentId,
    flagKey,
    variation: variation ?? DEFAULT_IN_CODE,
    version: version ?? UNKNOWN_TO_SDK,
    value,
    reason,
    reads: count,
    firstAt: now,
    lastAt: now,
  };
}

function add(tally: Tally, read: RunFlagCount): void {
  const own = nameOfRead(read);
  const name = tally.has(own) || tally.size < MAX_READ_VALUES ? own : FURTHER_NAME;
  const known = tally.get(name);
  if (known === undefined) {
    tally.set(name, name === own ? read : toFurther(read));
    return;
  }
  known.reads += read.reads;
  known.lastAt = read.lastAt;
  if (name !== own) return;
  known.value = read.value ?? known.value;
  known.reason = read.reason ?? known.reason;
}

export function runFlagSweep({
  db,
  clock,
  settings,
}: Pick<Kernel, 'db' | 'clock' | 'settings'>): RecurringWork {
  return retentionSweep(
    { clock, settings },
    {
      kind: 'runs.sweep-flags',
      retained: 'runCalls',
      deleteBefore: (before, signal) => deleteOldRunFlags(db, before, signal),
    },
  );
}
