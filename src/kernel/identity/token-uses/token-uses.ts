// Counts the calls of tokens in memory, and saves them together: the last use of each token, and its calls by hour and operation. ADR 0146.
import { chunk } from '../../collections/chunk.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { Logger } from '../../observability/log.ts';
import type { Db } from '../../storage/tables.ts';
import type { Caller } from '../caller.ts';
import type { Token } from '../store-tokens.ts';
import type { TokenOperationHour, TokenRefusal } from './store-operations.ts';
import { saveTokenUses, type TokenHour, type TokenUses } from './store.ts';

const HOUR_MS = 60 * 60 * 1000;
/** How long a use may wait at most, and how far apart two writes of one token are: the last look for it comes within it. */
const WAIT_MS = 4500;
/** How often waiting uses are looked through. The first use of a token waits no longer than this. */
const TICK_MS = 500;
/** Tokens that wait, those included that are being saved: about 4 MB. */
const MAX_TOKENS = 10_000;
/** Tokens that are saved by one transaction. */
const SAVED_AT_ONCE = 100;
/** Operations of one token that wait, by hour and category. Calls to further ones are added up by category, and these are few. */
const MAX_OPERATIONS = 32;
/** The same of all tokens: about 5 MB. */
const MAX_ALL_OPERATIONS = 30_000;
/** Refusals of one token that are listed between two writes, and of all tokens. All are counted. */
const MAX_REFUSALS = 10;
const MAX_ALL_REFUSALS = 2000;

/** What is recorded of a call. */
export type TokenCall = Pick<RequestContext, 'now' | 'address' | 'categories'> & {
  /** Absent where there is no route at the path, whose text is the caller's and is not recorded. */
  shape?: { readonly id: string } | undefined;
};

/** A call over a rate limit is found again by its id. */
export type RefusedTokenCall = TokenCall & Pick<RequestContext, 'id'>;

interface WaitingUse {
  token: Token;
  at: number;
  address: string;
  api: string;
  operation: string | undefined;
  counts: CountedOperation[];
  refusals: TokenRefusal[];
  /** By the clock of the process: tests stop the other one. */
  dueAt: number;
}

interface CountedOperation extends TokenOperationHour {
  /** As calls name it, with the API and a scope. */
  counted: string;
}

export class TokenUseCounter {
  readonly #db: Db;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #maxTokens: number;
  /** By the id of the token. */
  readonly #waiting = new Map<string, WaitingUse>();
  #saving: Promise<void> = Promise.resolve();
  /** How many are being saved. */
  #inHand = 0;
  /** Those of all tokens that wait. */
  #operations = 0;
  #refusals = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(db: Db, log: Pick<Logger, 'warn'>, maxTokens = MAX_TOKENS) {
    this.#db = db;
    this.#log = log;
    this.#maxTokens = maxTokens;
  }

  /** Counts a call. Programs have credentials of their own, and sessions are no tokens. */
  record(caller: Caller, call: TokenCall, api: string): void {
    if (caller.kind !== 'token' || caller.token === undefined || caller.program !== undefined) return;
    const use = this.#waiting.get(caller.token.id) ?? this.#begin(caller.token);
    if (use === undefined) return;
    if (call.now >= use.at) {
      use.at = call.now;
      use.address = call.address;
      use.api = api;
      use.operation = call.shape?.id;
    }
    this.#countOf(use, call.now, api, call.categories[0], call.shape?.id).calls += 1;
  }

  /** The call that was counted last is over this limit. It counts once, and for this category. */
  recordRefusal(caller: Caller, call: RefusedTokenCall, api: string, category: string): void {
    if (caller.kind !== 'token' || caller.token === undefined || caller.program !== undefined) return;
    const use = this.#waiting.get(caller.token.id) ?? this.#begin(caller.token);
    if (use === undefined) return;
    const { id: callId, now: at, shape } = call;
    this.#countOf(use, at, api, call.categories[0], shape?.id).calls -= 1;
    const refused = this.#countOf(use, at, api, category, shape?.id);
    refused.calls += 1;
    refused.refused += 1;
    if (use.refusals.length >= MAX_REFUSALS || this.#refusals >= MAX_ALL_REFUSALS) return;
    this.#refusals += 1;
    use.refusals.push({ at, callId, api, category: refused.category, operation: shape?.id ?? '' });
  }

  #begin(token: Token): WaitingUse | undefined {
    const count = this.#waiting.size + this.#inHand;
    // Only so many different tokens within seconds come here, and their last use is found with their next call.
    if (count >= this.#maxTokens) return undefined;
    const isFirst = token.lastUsedAt === undefined;
    const dueAt = performance.now() + (isFirst ? 0 : WAIT_MS);
    const use: WaitingUse = {
      token,
      at: 0,
      address: '',
      api: '',
      operation: undefined,
      counts: [],
      refusals: [],
      dueAt,
    };
    this.#waiting.set(token.id, use);
    this.#schedule();
    return use;
  }

  /** Never in the way of a call: the first look comes half a second after it. */
  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const isFull = this.#waiting.size * 2 >= this.#maxTokens;
      this.#save(isFull ? Infinity : performance.now())
        .catch((error: unknown) =>
          this.#log.warn({ err: error }, 'could not save the use of tokens; will try again'),
        )
        .finally(() => {
          if (this.#waiting.size > 0) this.#schedule();
        });
    }, TICK_MS).unref();
  }

  /** Saves everything that was counted before. */
  save(): Promise<void> {
    return this.#save(Infinity);
  }

  /** Saves the rest. Nothing is to be recorded afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.save();
  }

  #save(until: number): Promise<void> {
    const saved = this.#saving.then(() => this.#saveDue(until));
    this.#saving = saved.catch(() => {});
    return saved;
  }

  async #saveDue(until: number): Promise<void> {
    const due = [...this.#waiting.values()].filter(({ dueAt }) => dueAt <= until);
    for (const { token, counts, refusals } of due) {
      this.#waiting.delete(token.id);
      this.#operations -= counts.length;
      this.#refusals -= refusals.length;
    }
    this.#inHand = due.length;
    const batches = [...chunk(due, SAVED_AT_ONCE)];
    try {
      while (batches.length > 0) {
        const batch = batches[0]!;
        await saveTokenUses(this.#db, batch.map(toUses));
        batches.shift();
        // The caller is in a cache for a while, and its next use is not the first.
        for (const { token, at } of batch) token.lastUsedAt = at;
      }
    } finally {
      this.#inHand = 0;
      // Only where a statement failed.
      for (const use of batches.flat()) this.#giveBack(use);
    }
  }

  #giveBack(unsaved: WaitingUse): void {
    const present = this.#waiting.get(unsaved.token.id);
    if (present === undefined) {
      this.#waiting.set(unsaved.token.id, { ...unsaved, dueAt: performance.now() + WAIT_MS });
      this.#operations += unsaved.counts.length;
      this.#refusals += unsaved.refusals.length;
      return;
    }
    for (const { hour, api, counted, operation, calls, refused } of unsaved.counts) {
      const same = this.#countOf(present, hour, api, counted, operation);
      same.calls += calls;
      same.refused += refused;
    }
    const room = MAX_REFUSALS - present.refusals.length;
    const kept = unsaved.refusals.slice(0, Math.max(0, room));
    present.refusals.unshift(...kept);
    this.#refusals += kept.length;
  }

  #countOf(use: WaitingUse, at: number, api: string, counted = '', operation = ''): CountedOperation {
    const { counts } = use;
    const hour = at - (at % HOUR_MS);
    for (const one of counts)
      if (one.operation === operation && one.counted === counted && one.hour === hour && one.api === api)
        return one;
    const isFull = counts.length >= MAX_OPERATIONS || this.#operations >= MAX_ALL_OPERATIONS;
    const category = categoryOf(counted, api);
    const told = isFull ? '' : operation;
    // With another scope.
    const alike = counts.find(
      (one) => one.operation === told && one.hour === hour && one.api === api && one.category === category,
    );
    if (alike !== undefined) return alike;
    const made = { hour, api, category, counted, operation: told, calls: 0, refused: 0 };
    counts.push(made);
    this.#operations += 1;
    return made;
  }
}

function toUses({ token, at, address, api, operation, counts, refusals }: WaitingUse): TokenUses {
  const counted = counts.filter(({ calls, refused }) => calls !== 0 || refused !== 0);
  return {
    tokenId: token.id,
    at,
    address,
    api,
    ...(operation !== undefined && { operation }),
    hours: addUp(counted),
    operations: counted.map(({ counted: _counted, ...one }) => one),
    refusals,
  };
}

function addUp(counts: readonly CountedOperation[]): TokenHour[] {
  const hours = new Map<string, TokenHour>();
  for (const { hour, api, category, calls, refused } of counts) {
    const key = `${hour} ${api} ${category}`;
    const { calls: callsBefore = 0, refused: refusedBefore = 0 } = hours.get(key) ?? {};
    hours.set(key, {
      hour,
      api,
      category,
      calls: callsBefore + calls,
      refused: refusedBefore + refused,
    });
  }
  return [...hours.values()].filter(({ calls, refused }) => calls !== 0 || refused !== 0);
}

/** `flags.route:getTokens` is the category `route` of the API `flags`: with its scopes there would be too many. */
function categoryOf(counted: string, api: string): string {
  const own = counted.startsWith(`${api}.`) ? counted.slice(api.length + 1) : counted;
  return own.split(':', 1)[0] || 'none';
}
