// Limits how much runs at once: further calls wait, those of several owners in turn, and a full queue refuses them.
import { Failure } from '../failure.ts';

export interface SemaphoreLimits {
  /** How many run at once. */
  max: number;
  /** How many may wait. */
  maxWaiting: number;
  /** How many of one owner may wait; as many as of all where it is not said. */
  maxWaitingEach?: number;
  /** The error of those who are refused. */
  refusal: string;
  /** When those who are refused should try again. */
  retryAfterSecs?: number;
}

const RETRY_AFTER_SECS = 10;

export class Semaphore {
  readonly #limits: SemaphoreLimits;
  /** By owner; the owner at the front is the next. */
  readonly #queues = new Map<string, Set<() => void>>();
  #waiting = 0;
  #used = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves with the function that ends the use; it has no effect when it is called again. */
  async acquire(signal?: AbortSignal, owner = ''): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#used < this.#limits.max) this.#used += 1;
    else await this.#wait(signal, owner);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#release();
    };
  }

  async #wait(signal: AbortSignal | undefined, owner: string): Promise<void> {
    const {
      maxWaiting,
      maxWaitingEach = maxWaiting,
      refusal,
      retryAfterSecs = RETRY_AFTER_SECS,
    } = this.#limits;
    const queue = this.#queues.get(owner) ?? new Set();
    if (this.#waiting >= maxWaiting || queue.size >= maxWaitingEach)
      throw new Failure('unavailable', refusal, { headers: { 'retry-after': String(retryAfterSecs) } });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      this.#leave(owner, resolve);
      reject(signal?.reason as Error);
    };
    queue.add(resolve);
    this.#queues.set(owner, queue);
    this.#waiting += 1;
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #leave(owner: string, resolve: () => void): void {
    const queue = this.#queues.get(owner);
    if (queue?.delete(resolve) !== true) return;
    this.#waiting -= 1;
    if (queue.size === 0) this.#queues.delete(owner);
  }

  /** Goes to the call that has waited longest of the owner whose turn it is; the owner is then the last. */
  #release(): void {
    const [first] = this.#queues;
    if (first === undefined) {
      this.#used -= 1;
      return;
    }
    const [owner, queue] = first;
    const [next] = queue as Set<() => void>;
    this.#queues.delete(owner);
    this.#queues.set(owner, queue);
    this.#leave(owner, next!);
    next!();
  }
}
