// What all transfers of git share: how many go on at once, the hook, and the limits.
import { availableParallelism } from 'node:os';
import { Failure } from '../../kernel/failure.ts';
import { ProcessSlots } from '../git/process-slots.ts';
import { HookFolder } from './pre-receive.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    packs: PackService;
  }
}

export interface PackSettings {
  /** The folder of all repositories. */
  repositories: string;
  /** The largest pack that a push may have. */
  maxPushBytes: number;
  /** How many transfers go on at once: twice the cores by default. */
  maxPackers?: number;
  /** How many further ones may wait. */
  maxWaiting?: number;
  /** How long they may wait. */
  waitMs?: number;
  /** How long a client may neither send nor read. */
  stallMs?: number;
}

const MAX_WAITING = 200;
const WAIT_MS = 60_000;
const STALL_MS = 60_000;
const RETRY_SECONDS = 10;

export class PackService {
  readonly maxPushBytes: number;
  readonly stallMs: number;
  readonly hooks: HookFolder;
  readonly #slots: ProcessSlots;
  readonly #waitMs: number;

  constructor(settings: PackSettings) {
    const { maxPackers = 2 * availableParallelism(), maxWaiting = MAX_WAITING } = settings;
    this.maxPushBytes = settings.maxPushBytes;
    this.stallMs = settings.stallMs ?? STALL_MS;
    this.hooks = new HookFolder(settings.repositories);
    this.#slots = new ProcessSlots({ max: maxPackers, maxWaiting });
    this.#waitMs = settings.waitMs ?? WAIT_MS;
  }

  /** Transfers that go on, and that wait. */
  get load(): { used: number; waiting: number } {
    const { used, waiting } = this.#slots;
    return { used, waiting };
  }

  /**
   * Waits for a turn. Resolves with the function that ends it.
   * @throws {Failure} where too many wait, or the wait takes too long.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), this.#waitMs);
    const leave = () => waiting.abort();
    signal.addEventListener('abort', leave, { once: true });
    try {
      signal.throwIfAborted();
      return await this.#slots.acquire(waiting.signal);
    } catch {
      signal.throwIfAborted();
      throw new Failure('unavailable', 'Too many transfers of git are going on. Try again in a moment.', {
        headers: { 'retry-after': String(RETRY_SECONDS) },
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }
}
