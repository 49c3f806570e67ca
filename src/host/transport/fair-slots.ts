// Slots that callers share fairly: nobody holds them all, and a slot that is free goes to the caller who has had the least.
import { Failure } from '../../kernel/failure.ts';
import { RecentlyUsedMap } from '../../kernel/collections/recently-used-map.ts';

/** Who holds a slot, or waits for one. */
export interface SlotHolder {
  /** Whose budget it is; for callers without a credential their network. */
  caller: string;
  network: string;
  isAnonymous: boolean;
}

export interface FairSlotOptions {
  /** How many there are. */
  max: number;
  /** How many calls may wait. */
  maxWaiting: number;
  /** How long a call may wait. */
  waitMs: number;
  /** What waits, for the error of those who are refused. */
  what: string;
  now(): number;
}

/** What one caller or network has of the slots. */
interface Share {
  held: number;
  waiting: number;
  /** How long it held slots lately; half of it is forgotten every few minutes. */
  usedMs: number;
  usedAt: number;
}

interface Waiting {
  holder: SlotHolder;
  grant(): void;
  refuse(error: Failure): void;
}

const HALF_LIFE_MS = 5 * 60_000;
const REMEMBERED = 10_000;
/** For an estimate, until some slots were given back. */
const USUAL_HELD_MS = 5000;
const MIN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 300;

export class FairSlots {
  readonly #options: FairSlotOptions;
  /** One caller has at most half of the slots. */
  readonly #maxOfCaller: number;
  /** One network, and all callers without a credential together, leave a quarter to others. */
  readonly #maxOfNetwork: number;
  readonly #callers = shares();
  readonly #networks = shares();
  readonly #waiting = new Set<Waiting>();
  #used = 0;
  #usedByAnonymous = 0;
  #meanHeldMs = USUAL_HELD_MS;

  constructor(options: FairSlotOptions) {
    const { max } = options;
    this.#options = options;
    this.#maxOfCaller = Math.ceil(max / 2);
    this.#maxOfNetwork = max - (max > 1 ? Math.ceil(max / 4) : 0);
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves with the function that gives the slot back; it has no effect when it is called again.
   * @throws {Failure} where too many wait, or the wait takes too long.
   */
  async acquire(holder: SlotHolder, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#fits(holder)) this.#take(holder);
    else await this.#wait(holder, signal);
    const since = this.#options.now();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#giveBack(holder, since);
    };
  }

  /** @throws {Failure} where a call that comes now would find no place to wait. */
  check(holder: SlotHolder): void {
    if (this.#fits(holder) || this.#waiting.size < this.#options.maxWaiting) return;
    if (this.#crowder(holder) === undefined) throw this.#busy();
  }

  /** How many slots the caller has. */
  heldBy({ caller }: SlotHolder): number {
    return this.#callers.get(caller, this.#options.now())?.held ?? 0;
  }

  /**
   * The waiting callers, each once, who would get the slot of the given holder if that gave it back and who have fewer than
   * it. So nobody who fills the queue takes slots from others.
   */
  *claimants(holder: SlotHolder): Generator<SlotHolder> {
    const held = this.heldBy(holder);
    const seen = new Set<string>();
    for (const { holder: other } of this.#waiting) {
      if (seen.has(other.caller) || this.heldBy(other) >= held || !this.#fits(other, holder)) continue;
      seen.add(other.caller);
      yield other;
    }
  }

  async #wait(holder: SlotHolder, signal: AbortSignal): Promise<void> {
    this.#makeRoom(holder);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const share = this.#shareOf(holder);
    const leave = () => {
      if (this.#waiting.delete(waiting)) share.waiting -= 1;
    };
    const waiting: Waiting = {
      holder,
      grant: () => {
        leave();
        resolve();
      },
      refuse: (error) => {
        leave();
        reject(error);
      },
    };
    const onAbort = () => waiting.refuse(signal.reason as Failure);
    const timer = setTimeout(() => waiting.refuse(this.#busy()), this.#options.waitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(waiting);
    share.waiting += 1;
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Where the queue is full, the caller with the most calls in it loses the last of them to one who has fewer. */
  #makeRoom(holder: SlotHolder): void {
    if (this.#waiting.size < this.#options.maxWaiting) return;
    const crowder = this.#crowder(holder);
    if (crowder === undefined) throw this.#busy();
    crowder.refuse(this.#busy());
  }

  #crowder(newcomer: SlotHolder): Waiting | undefined {
    let last: Waiting | undefined;
    let most = this.#shareOf(newcomer).waiting + 2;
    for (const waiting of this.#waiting) {
      const { waiting: count } = this.#shareOf(waiting.holder);
      if (count < most) continue;
      most = count;
      last = waiting;
    }
    return last;
  }

  #giveBack(holder: SlotHolder, since: number): void {
    const heldMs = Math.max(0, this.#options.now() - since);
    this.#meanHeldMs += (heldMs - this.#meanHeldMs) / 10;
    const share = this.#shareOf(holder);
    share.usedMs += heldMs;
    this.#count(holder, -1);
    for (;;) {
      const next = this.#next();
      if (next === undefined) return;
      this.#take(next.holder);
      next.grant();
    }
  }

  /** Of those who may have a slot the one who has the fewest, and then who had them for the shortest time. */
  #next(): Waiting | undefined {
    let best: Waiting | undefined;
    let least: Share | undefined;
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.holder)) continue;
      const share = this.#shareOf(waiting.holder);
      if (least !== undefined && !hasLess(share, least)) continue;
      best = waiting;
      least = share;
    }
    return best;
  }

  #take(holder: SlotHolder): void {
    this.#count(holder, 1);
  }

  #count(holder: SlotHolder, change: 1 | -1): void {
    this.#used += change;
    if (holder.isAnonymous) this.#usedByAnonymous += change;
    this.#shareOf(holder).held += change;
    this.#networkOf(holder).held += change;
  }

  /** Whether a slot is free for the holder, or would be without one of `other`. */
  #fits(holder: SlotHolder, other?: SlotHolder): boolean {
    const one = (isFreed: boolean | undefined) => (isFreed === true ? 1 : 0);
    if (this.#used - one(other !== undefined) >= this.#options.max) return false;
    if (holder.isAnonymous && this.#usedByAnonymous - one(other?.isAnonymous) >= this.#maxOfNetwork)
      return false;
    const ofCaller = this.#shareOf(holder).held - one(other?.caller === holder.caller);
    const ofNetwork = this.#networkOf(holder).held - one(other?.network === holder.network);
    return ofCaller < this.#maxOfCaller && ofNetwork < this.#maxOfNetwork;
  }

  #shareOf({ caller }: SlotHolder): Share {
    return shareIn(this.#callers, caller, this.#options.now());
  }

  #networkOf({ network }: SlotHolder): Share {
    return shareIn(this.#networks, network, this.#options.now());
  }

  #busy(): Failure {
    const { max, what } = this.#options;
    const ahead = this.#waiting.size;
    const estimate = Math.ceil(((ahead + 1) * this.#meanHeldMs) / max / 1000);
    const seconds = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, estimate));
    return new Failure(
      'unavailable',
      `Too many ${what} are going on at this server, and ${ahead} more wait. Try again in ${seconds} seconds.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  }
}

function hasLess(one: Share, other: Share): boolean {
  return one.held < other.held || (one.held === other.held && one.usedMs < other.usedMs);
}

function shares(): RecentlyUsedMap<Share> {
  return new RecentlyUsedMap<Share>({
    size: REMEMBERED,
    lastsMs: HALF_LIFE_MS,
    isHeld: ({ held, waiting }) => held > 0 || waiting > 0,
  });
}

function shareIn(all: RecentlyUsedMap<Share>, id: string, now: number): Share {
  let share = all.get(id, now);
  if (share === undefined) all.set(id, (share = { held: 0, waiting: 0, usedMs: 0, usedAt: now }), now);
  share.usedMs *= 0.5 ** (Math.max(0, now - share.usedAt) / HALF_LIFE_MS);
  share.usedAt = now;
  return share;
}
