// The calls that runs make with their tokens: counted in memory, and written together once a second. ADR 0165.
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import { retentionSweep } from '../../kernel/jobs/retention.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { BufferedCounter } from '../usage/usage-counter.ts';
import {
  addRunCalls,
  deleteOldRunCalls,
  MAX_CALLED_OPERATIONS,
  OTHERS,
  type RunCallCount,
} from './store-calls.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    runCalls: RunCalls;
  }
}

/** Of one run, by API and operation. */
type Tally = Map<string, RunCallCount>;

const OTHERS_KEY = '';
const newTally = (): Tally => new Map();

export class RunCalls {
  readonly #waiting: BufferedCounter<Tally>;

  constructor({ db, log }: { db: Kernel['db']; log: Pick<Kernel['log'], 'warn'> }) {
    this.#waiting = new BufferedCounter({
      write: (tallies) => addRunCalls(db, tallies),
      onError: (error) => log.warn({ err: error }, 'some calls of runs are not counted'),
    });
  }

  /** Counts a call of the run. Only tokens of unfinished runs get here, so that few runs wait at a time. */
  count(runId: string, api: string, operation: string | undefined, status: number, at: number): void {
    const sums = sumsOf(this.#waiting.sumOf(runId, newTally), api, operation ?? '', at);
    sums.calls += 1;
    if (status >= 500) sums.failed += 1;
    else if (status >= 400) sums.refused += 1;
    if (at >= sums.lastAt) {
      sums.lastAt = at;
      sums.lastStatus = status;
    } else if (at < sums.firstAt) sums.firstAt = at;
  }

  /** Resolves when everything counted before has been written. It never rejects. */
  save(): Promise<void> {
    return this.#waiting.save();
  }
}

export function runCallSweep({
  db,
  clock,
  settings,
}: Pick<Kernel, 'db' | 'clock' | 'settings'>): RecurringWork {
  return retentionSweep(
    { clock, settings },
    {
      kind: 'runs.sweep-calls',
      retained: 'runCalls',
      deleteBefore: (before, signal) => deleteOldRunCalls(db, before, signal),
    },
  );
}

function sumsOf(tally: Tally, api: string, operation: string, at: number): RunCallCount {
  const key = `${api} ${operation}`;
  const known = tally.get(key);
  if (known !== undefined) return known;
  if (tally.size < MAX_CALLED_OPERATIONS) return begin(tally, key, { api, operation }, at);
  return tally.get(OTHERS_KEY) ?? begin(tally, OTHERS_KEY, OTHERS, at);
}

function begin(
  tally: Tally,
  key: string,
  place: Pick<RunCallCount, 'api' | 'operation'>,
  at: number,
): RunCallCount {
  const sums = { ...place, calls: 0, refused: 0, failed: 0, firstAt: at, lastAt: at, lastStatus: 0 };
  tally.set(key, sums);
  return sums;
}
