// Limits the memory for request bodies: their bytes in this process, and how many one caller sends at once.
import { Failure } from '../../failure.ts';
import type { Caller } from '../../identity/caller.ts';
import { networkOf } from '../../limits/client-network.ts';

/** Leaves room for the parsed bodies on a machine with two gigabytes. */
const MAX_BYTES = 256 * 1024 * 1024;
/** More connections than a busy client keeps open. A body of full size takes nine megabytes. */
const MAX_AT_ONCE = 256;

const RETRY_SECONDS = 1;

export class BodyMemory {
  readonly #maxBytes: number;
  readonly #maxAtOnce: number;
  readonly #counts = new Map<string, number>();
  #bytes = 0;

  constructor({ maxBytes = MAX_BYTES, maxAtOnce = MAX_AT_ONCE } = {}) {
    this.#maxBytes = maxBytes;
    this.#maxAtOnce = maxAtOnce;
  }

  /** Bytes that are held now, for tests and metrics. */
  get bytes(): number {
    return this.#bytes;
  }

  /** For one body; throws where the caller is sending too many at once. */
  open(caller: Caller): HeldBody {
    const who = nameOf(caller);
    const count = (this.#counts.get(who) ?? 0) + 1;
    if (count > this.#maxAtOnce) {
      throw busy(`${this.#maxAtOnce} bodies of yours are being read at the same time`);
    }
    this.#counts.set(who, count);
    let held = 0;
    let isOpen = true;
    return {
      // Counts received bytes, not Content-Length: otherwise announcing large bodies would lock out other callers.
      add: (size) => {
        if (!isOpen) return;
        if (this.#bytes + size > this.#maxBytes)
          throw busy('too many bodies are being read at the same time');
        held += size;
        this.#bytes += size;
      },
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#bytes -= held;
        const left = this.#counts.get(who)! - 1;
        if (left === 0) this.#counts.delete(who);
        else this.#counts.set(who, left);
      },
    };
  }
}

export interface HeldBody {
  /** Throws where there is no memory left for that many bytes. */
  add(size: number): void;
  /** To be called when the body is no longer needed. */
  close(): void;
}

function nameOf(caller: Caller): string {
  if (caller.kind === 'anonymous') return networkOf(caller.address);
  return caller.program?.id ?? caller.token?.id ?? caller.member.id;
}

function busy(reason: string): Failure {
  return new Failure('unavailable', `The server is busy: ${reason}. Try again in a moment.`, {
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
}
