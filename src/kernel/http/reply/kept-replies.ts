// Replies of reads that are sent again as they are, until rows change that they were made from. ADR 0156.
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

/** The handler's kernel of a call whose reply is to be kept, and what keeps it. */
interface Keeping {
  kernel: Kernel;
  keep(ready: ReadyReply): void;
}

export class KeptReplies {
  readonly #engine: Engine;
  readonly #replies = new BoundedCache<string, KeptReply>({ max: MAX_KEPT, weigh: ({ weight }) => weight });
  /** Callers are numbered: a reply is sent to the caller again for whom it was made, with the permissions of then. */
  readonly #numbers = new WeakMap<Caller, number>();
  #lastNumber = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  find(call: RequestContext): ReadyReply | undefined {
    if (this.#engine.tableChanges === undefined) return undefined;
    const key = this.#keyOf(call);
    const kept = this.#replies.get(key);
    if (kept === undefined || kept.record.isCurrent) return kept;
    this.#replies.delete(key);
    return undefined;
  }

  /** Undefined where nothing is kept, since other servers write to the database. */
  begin(call: RequestContext, kernel: Kernel): Keeping | undefined {
    const { tableChanges } = this.#engine;
    if (tableChanges === undefined) return undefined;
    const reads = new RecordedReads(kernel.db, tableChanges);
    return {
      kernel: { ...kernel, db: reads.db, isKeepingReply: true },
      keep: (ready) => {
        const key = this.#keyOf(call);
        const weight = ready.text.length + key.length;
        const record = weight > MAX_REPLY ? undefined : reads.finish();
        if (record?.isCurrent === true) this.#replies.set(key, { ...ready, record, weight });
      },
    };
  }

  /** Everything that a reply follows from, beside rows. The header is last, since it alone may have spaces. */
  #keyOf({ caller, version, variant, headers, base, url }: RequestContext): string {
    return `${this.#numberOf(caller!)} ${version} ${variant ?? ''} ${base} ${url} ${headers.accept ?? ''}`;
  }

  #numberOf(caller: Caller): number {
    if (caller.kind === 'anonymous') return 0;
    let number = this.#numbers.get(caller);
    if (number === undefined) this.#numbers.set(caller, (number = this.#lastNumber += 1));
    return number;
  }
}
