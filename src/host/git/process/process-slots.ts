// Limits how many processes run at once: further calls wait in order, and a full queue refuses them.
import { Failure } from '../../../kernel/failure.ts';

export interface SlotLimits {
  /** How many run at once. */
  max: number;
  /** How many may wait. */
  maxWaiting: number;
  /** What waits, for the error of those who are refused; git operations if absent. */
  what?: string;
}

export class ProcessSlots {
  readonly #limits: SlotLimits;
  readonly #waiting = new Set<() => void>();
  #used = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves with the function that gives the slot back; it has no effect when it is called again. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#used < this.#limits.max) this.#used += 1;
    else await this.#wait(signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#release();
    };
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#limits.maxWaiting)
      throw new Failure(
        'unavailable',
        `Too many ${this.#limits.what ?? 'git operations'} are waiting on this server. Try again in a moment.`,
        { headers: { 'retry-after': '10' } },
      );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      this.#waiting.delete(resolve);
      reject(signal?.reason as Error);
    };
    this.#waiting.add(resolve);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** A slot that is given back goes to the call that has waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#used -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
