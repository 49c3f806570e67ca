// Replies of reads that are sent again as they are, until rows change that they were made from. ADR 0156 and 0167.
import { BoundedCache } from '../../collections/bounded-cache.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Kernel } from '../../kernel.ts';
import type { Engine } from '../../storage/engine.ts';
import { RecordedReads, type ReadRecord } from '../../storage/recorded-reads.ts';
import type { Headers } from '../protocol.ts';
import type { RequestContext } from '../request-context.ts';

/** A successful reply in the version of the caller. */
export interface ReadyReply {
  text: string | Uint8Array;
  headers: Headers;
  /** What newer versions would change in it, as bits of the route's usage. */
  effects: number;
}

interface KeptReply extends ReadyReply {
  record: ReadRecord;
  weight: number;
}

/** In bytes or characters, of texts and keys. */
const MAX_KEPT = 16 * 1024 * 1024;
const MAX_REPLY = 256 * 1024;

/** The reply of one call while it is made. */
interface Keeping {
  /** The handler's kernel. */
  kernel: Kernel;
  keep(ready: ReadyReply): void;
  /** To be called when nothing more can come, whether or not there is a reply. */
  end(): void;
}

export class KeptReplies {
  readonly #engine: Engine;
  readonly #replies = new BoundedCache<string, KeptReply>({ max: MAX_KEPT, weigh: ({ weight }) => weight });
  /** Those that are being made: the same call of the same caller waits for them. */
  readonly #making = new Map<string, Promise<ReadyReply | undefined>>();
  /** Callers are numbered: a reply is sent to the caller again for whom it was made, with the permissions of then. */
  readonly #numbers = new WeakMap<Caller, number>();
  #lastNumber = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Everything that a reply follows from, beside rows; undefined where nothing is kept, since other servers write to the
   * database. Headers come last, one a line, since they alone may have spaces.
   */
  keyOf(
    { caller, version, variant, headers, base, url }: RequestContext,
    read: readonly string[],
  ): string | undefined {
    if (this.#engine.tableChanges === undefined) return undefined;
    let key = `${this.#numberOf(caller!)} ${version} ${variant ?? ''} ${base} ${url}`;
    for (const name of read) key += `\n${String(headers[name] ?? '')}`;
    return key;
  }

  /** A promise where one is being made; it brings undefined where rows have changed meanwhile. */
  find(key: string): ReadyReply | Promise<ReadyReply | undefined> | undefined {
    const kept = this.#replies.get(key);
    if (kept?.record.isCurrent === true) return kept;
    if (kept !== undefined) this.#replies.delete(key);
    return this.#making.get(key);
  }

  begin(key: string, kernel: Kernel): Keeping {
    const reads = new RecordedReads(kernel.db, this.#engine.tableChanges!);
    const { promise, resolve } = Promise.withResolvers<ReadyReply | undefined>();
    // The first one is waited for; what others make beside it, because rows have changed, is for later calls.
    const isFirst = !this.#making.has(key);
    if (isFirst) this.#making.set(key, promise);
    return {
      kernel: { ...kernel, db: reads.db, isKeepingReply: true },
      keep: (ready) => {
        const record = reads.finish();
        if (record?.isCurrent !== true) return;
        resolve(ready);
        const weight = ready.text.length + key.length;
        if (weight <= MAX_REPLY) this.#replies.set(key, { ...ready, record, weight });
      },
      end: () => {
        resolve(undefined);
        if (isFirst) this.#making.delete(key);
      },
    };
  }

  #numberOf(caller: Caller): number {
    if (caller.kind === 'anonymous') return 0;
    let number = this.#numbers.get(caller);
    if (number === undefined) this.#numbers.set(caller, (number = this.#lastNumber += 1));
    return number;
  }
}
