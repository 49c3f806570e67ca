// Transfers whose speed the client decides: how many go on at once, and which of them end because others wait.
import type { Clock } from '../../kernel/clock.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import { networkOf } from '../../kernel/limits/client-network.ts';
import { budgetIdOf } from '../../kernel/limits/limits.ts';
import { FairSlots, type SlotHolder } from './fair-slots.ts';

/** A client that moves fewer bytes in a window counts as one that has stopped. */
const MIN_BYTES = 1024;
/** The share of the time in which the server must have waited for the client, and not for git. */
const WAITED_SHARE = 0.9;

/**
 * Measures how fast a client sends or reads while the server waits for it: a slow one must not hold a process
 * of git for ever.
 */
class ClientWatch {
  readonly began: number;
  readonly #now: () => number;
  #windowBegan: number;
  #bytes = 0;
  #waiting = 0;
  #waitingSince = 0;
  #waitedMs = 0;
  #stoppedMs = 0;
  #rate = Infinity;

  constructor(now: () => number) {
    this.#now = now;
    this.began = now();
    this.#windowBegan = this.began;
  }

  /** Bytes per second in the last window; infinite where git was slower than the client. */
  get rate(): number {
    return this.#rate;
  }

  /** How long the client has moved nearly nothing. */
  get stoppedMs(): number {
    return this.#stoppedMs;
  }

  /** Waits for the client. */
  async wait<T>(client: Promise<T>): Promise<T> {
    if (this.#waiting === 0) this.#waitingSince = this.#now();
    this.#waiting += 1;
    try {
      return await client;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#rest(this.#now());
    }
  }

  moved(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Ends the window if it has lasted this long, and measures it. */
  look(now: number, windowMs: number): void {
    const lasted = now - this.#windowBegan;
    if (lasted < windowMs) return;
    if (this.#waiting > 0) this.#rest(now);
    const isSlower = this.#waitedMs >= lasted * WAITED_SHARE;
    this.#rate = isSlower ? (this.#bytes / lasted) * 1000 : Infinity;
    this.#stoppedMs = isSlower && this.#bytes < MIN_BYTES ? this.#stoppedMs + lasted : 0;
    this.#windowBegan = now;
    this.#bytes = 0;
    this.#waitedMs = 0;
  }

  #rest(now: number): void {
    this.#waitedMs += now - this.#waitingSince;
    this.#waitingSince = now;
  }
}

export interface TransferLimits {
  /** How many go on at once. */
  max: number;
  /** How many further ones may wait. */
  maxWaiting?: number;
  /** How long they may wait. */
  waitMs?: number;
  /** How long a client may neither send nor read. */
  stallMs?: number;
  /** How long a transfer may take. */
  maxMs?: number;
  /** How often they are looked at. */
  lookMs?: number;
}

/** One that goes on. */
export interface RunningTransfer {
  /** Waits for the client. */
  wait<T>(client: Promise<T>): Promise<T>;
  /** Counts what the client has sent, or was sent. */
  moved(bytes: number): void;
  /** Fires when the transfer must end; the reason is a `Failure` in words for the client. */
  readonly cut: AbortSignal;
  /** To be called when it has ended, however it ended. */
  end(): void;
}

/** Who asks. */
export interface GitTransferCall {
  caller: Caller;
  address: string;
  signal: AbortSignal;
}

const MAX_WAITING = 200;
const WAIT_MS = 60_000;
const STALL_MS = 60_000;
const MAX_MS = 3 * 60 * 60_000;
const LOOK_MS = 1000;
/** Every client is tolerated for as long. Then what counts is its rate in the last such time. */
const WINDOW_MS = 10_000;
/** The least rate in bytes per second while others wait. It is this at first, twice this after a minute, and so on. */
const LEAST_RATE = 32 * 1024;
const RATE_RISES_MS = 60_000;

interface LiveTransfer {
  holder: SlotHolder;
  watch: ClientWatch;
  cutting: AbortController;
}

export class GitTransfers {
  readonly #slots: FairSlots;
  readonly #clock: Clock;
  readonly #limits: Required<Pick<TransferLimits, 'stallMs' | 'maxMs' | 'lookMs'>>;
  readonly #live = new Set<LiveTransfer>();
  #timer: NodeJS.Timeout | undefined;

  constructor(what: string, limits: TransferLimits, clock: Clock) {
    const { max, maxWaiting = MAX_WAITING, waitMs = WAIT_MS } = limits;
    const { stallMs = STALL_MS, maxMs = MAX_MS, lookMs = LOOK_MS } = limits;
    this.#clock = clock;
    this.#limits = { stallMs, maxMs, lookMs };
    this.#slots = new FairSlots({ max, maxWaiting, waitMs, what, now: () => clock.now() });
  }

  /** Transfers that go on, and that wait. */
  get load(): { used: number; waiting: number } {
    const { used, waiting } = this.#slots;
    return { used, waiting };
  }

  /** @throws {Failure} where one that begins now would be refused. */
  check(call: Omit<GitTransferCall, 'signal'>): void {
    this.#slots.check(holderOf(call));
  }

  /**
   * Waits for a turn.
   * @throws {Failure} where too many wait, or the wait takes too long.
   */
  async begin(call: GitTransferCall): Promise<RunningTransfer> {
    const holder = holderOf(call);
    const release = await this.#slots.acquire(holder, call.signal);
    const watch = new ClientWatch(() => this.#clock.now());
    const cutting = new AbortController();
    const live: LiveTransfer = { holder, watch, cutting };
    this.#live.add(live);
    this.#timer ??= setInterval(() => this.#look(), this.#limits.lookMs).unref();
    return {
      wait: (client) => watch.wait(client),
      moved: (bytes) => watch.moved(bytes),
      cut: cutting.signal,
      end: () => {
        this.#live.delete(live);
        release();
        if (this.#live.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #look(): void {
    const now = this.#clock.now();
    const { stallMs, maxMs } = this.#limits;
    for (const { watch, cutting } of this.#live) {
      watch.look(now, Math.min(WINDOW_MS, stallMs));
      if (now - watch.began >= maxMs) cutting.abort(tooLong(maxMs));
      else if (watch.stoppedMs >= stallMs) cutting.abort(stopped(stallMs));
    }
    if (this.#slots.waiting > 0) this.#cutSlow(now);
  }

  /** The slowest end first, one for each caller who waits and has fewer slots. */
  #cutSlow(now: number): void {
    const served = new Set<string>();
    // One that ends already gives its slot back soon.
    const rateOf = ({ cutting, watch }: LiveTransfer) => (cutting.signal.aborted ? -1 : watch.rate);
    const slow = [...this.#live].filter((live) => rateOf(live) < leastRate(now - live.watch.began));
    for (const { holder, cutting, watch } of slow.toSorted((one, other) => rateOf(one) - rateOf(other))) {
      for (const claimant of this.#slots.claimants(holder)) {
        if (served.has(claimant.caller)) continue;
        served.add(claimant.caller);
        cutting.abort(tooSlow(leastRate(now - watch.began)));
        break;
      }
    }
  }
}

function leastRate(ageMs: number): number {
  return ageMs < WINDOW_MS ? 0 : LEAST_RATE * (1 + ageMs / RATE_RISES_MS);
}

export function holderOf({ caller, address }: Omit<GitTransferCall, 'signal'>): SlotHolder {
  return {
    caller: budgetIdOf(caller),
    network: networkOf(address),
    isAnonymous: caller.kind === 'anonymous',
  };
}

function tooSlow(rate: number): Failure {
  const least = Math.ceil(rate / 1024);
  return new Failure(
    'unavailable',
    `The server ended this transfer: others wait, and it was slower than ${least} KiB a second. Try again later.`,
  );
}

function tooLong(maxMs: number): Failure {
  return new Failure(
    'unavailable',
    `The server ended this transfer, because it took longer than ${Math.round(maxMs / 60_000)} minutes.`,
  );
}

function stopped(stallMs: number): Failure {
  return new Failure(
    'unavailable',
    `The server ended this transfer, because nothing was sent or read for ${Math.round(stallMs / 1000)} seconds.`,
  );
}
