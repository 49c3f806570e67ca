// Limits what the SDKs of one environment may send: events per second, bytes at the same time, payloads read at once, and different rows per hour.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { HeldBody } from '../../kernel/http/body/body-memory.ts';
import { Failure } from '../../kernel/failure.ts';
import { OTHER_SDKS } from '../sdk-activity/sdk-names.ts';
import { NO_VARIATION, NO_VERSION } from './payload.ts';
import type { FlagEvaluationRow } from './tables.ts';

/** SDKs send in bursts: unused seconds are saved up. A payload may take as much in advance. */
const BURST_SECONDS = 5;
/** Bytes of bodies that one environment may have in memory: a few of the largest, or thousands of the usual size. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The same for all environments together. */
const MAX_ALL_BYTES = 192 * 1024 * 1024;
/** Environments that are remembered. */
const MAX_ENVIRONMENTS = 10_000;

interface EnvironmentUse {
  /** The events that may still be sent. Below zero after a payload that took some in advance. */
  left: number;
  /** When `left` was computed. */
  at: number;
  bytes: number;
}

interface EventLimitSettings {
  /** Per environment; by default there is no limit. */
  perSecond?: number | undefined;
  maxBytes?: number;
}

/** Each environment has its own, so that one whose public key is misused does not hold back the others. */
export class EventLimits {
  readonly #perSecond: number;
  readonly #maxBytes: number;
  #allBytes = 0;
  readonly #uses = new BoundedCache<string, EnvironmentUse>({ max: MAX_ENVIRONMENTS });

  constructor({ perSecond = Infinity, maxBytes = MAX_BYTES }: EventLimitSettings = {}) {
    this.#perSecond = perSecond;
    this.#maxBytes = maxBytes;
  }

  /** Before the body is read, so that it need not be. Throws `exhausted` where the environment has nothing left. */
  open(environmentId: string, now: number): EventAdmission {
    const use = this.#useOf(environmentId, now);
    if (use.left < 1) throw this.#exhausted(use);
    // Counted at once, so that many that arrive together cannot all be let in.
    use.left -= 1;
    let counted = 1;
    let held = 0;
    const hold = (bytes: number) => {
      held += bytes;
      use.bytes += bytes;
      this.#allBytes += bytes;
    };
    return {
      add: (bytes) => {
        if (use.bytes + bytes > this.#maxBytes || this.#allBytes + bytes > MAX_ALL_BYTES)
          throw this.#exhausted(use);
        hold(bytes);
      },
      close: () => hold(-held),
      spend: (events) => {
        const more = Math.max(0, events - counted);
        counted += more;
        use.left = Math.max(use.left - more, -BURST_SECONDS * this.#perSecond);
      },
      check: () => {
        if (use.left < 0) throw this.#exhausted(use);
      },
      exhausted: () => this.#exhausted(use),
    };
  }

  #useOf(environmentId: string, now: number): EnvironmentUse {
    const most = BURST_SECONDS * this.#perSecond;
    let use = this.#uses.get(environmentId);
    if (use === undefined) this.#uses.set(environmentId, (use = { left: most, at: now, bytes: 0 }));
    const passed = Math.max(0, now - use.at) / 1000;
    if (passed > 0) use.left = Math.min(most, use.left + passed * this.#perSecond);
    use.at = now;
    return use;
  }

  #exhausted({ left }: EnvironmentUse): Failure {
    const seconds = left < 0 ? Math.ceil((1 - left) / this.#perSecond) : 1;
    return new Failure('exhausted', 'This environment sends too many events. Try again later.', {
      headers: { 'retry-after': String(seconds) },
    });
  }
}

/** For one payload. */
export interface EventAdmission extends HeldBody {
  /** Counts its events, once they are known: at least one, which is counted already. */
  spend(events: number): void;
  /** Throws `exhausted` where others have used up everything since it was opened. */
  check(): void;
  /** The error where there is no room for its events. */
  exhausted(): Failure;
}

/** Runs only so much work at the same time; the rest waits, in the order of arrival. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce = 1) {
    this.#free = atOnce;
  }

  /** An error of one does not affect the next. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

interface RowBounds {
  /** Rows with all details; some more may have the variation only. */
  maxRows?: number;
  maxSdks?: number;
}

interface EnvironmentRows {
  rows: Set<string>;
  sdks: Set<string>;
}

export type NewRow = Omit<FlagEvaluationRow, 'count'>;

/** Bounds how many different rows an environment adds per hour: who knows a public key can make up versions and SDKs. */
export class RowBudget {
  readonly #maxRows: number;
  readonly #maxSdks: number;
  #hour = 0;
  readonly #environments = new Map<string, EnvironmentRows>();

  constructor({ maxRows = 50_000, maxSdks = 50 }: RowBounds = {}) {
    this.#maxRows = maxRows;
    this.#maxSdks = maxSdks;
  }

  /** The row itself, or one with fewer details where the environment has too many in this hour. */
  fit(row: NewRow): NewRow {
    const { rows, sdks } = this.#openHour(row);
    const named = sdks.has(row.sdk) || sdks.size < this.#maxSdks ? row : { ...row, sdk: OTHER_SDKS };
    if (hasRoom(rows, named, this.#maxRows)) {
      sdks.add(named.sdk);
      return named;
    }
    const plain = { ...row, version: NO_VERSION, sdk: OTHER_SDKS };
    // A fifth more, so that made-up versions do not hide which variations are served.
    return hasRoom(rows, plain, this.#maxRows * 1.2) ? plain : { ...plain, variation: NO_VARIATION };
  }

  #openHour({ environment_id, hour }: NewRow): EnvironmentRows {
    if (hour > this.#hour) {
      this.#environments.clear();
      this.#hour = hour;
    }
    let known = this.#environments.get(environment_id);
    if (known === undefined)
      this.#environments.set(environment_id, (known = { rows: new Set(), sdks: new Set() }));
    return known;
  }
}

function hasRoom(rows: Set<string>, { flag_key, variation, version, sdk }: NewRow, most: number): boolean {
  const name = `${flag_key} ${variation} ${version} ${sdk}`;
  if (rows.has(name)) return true;
  if (rows.size >= most) return false;
  rows.add(name);
  return true;
}
