// Holds payloads of events in memory, and saves them once a second, without what was saved lately: a write for each would cost too much. ADR 0042.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { mergePayloads, toRows } from './merge.ts';
import { PAYLOADS, type PayloadOutcome } from './metrics.ts';
import { weightOf, type EventPayload } from './payload.ts';
import { RowBudget } from './limits.ts';
import { DuplicatePayloads, findKnownFlags, payloadName, savePayloads } from './store.ts';
import type { FlagUsageRow } from '../feature-flags/tables.ts';
import type { FlagContextKindRow } from './tables.ts';

const SAVE_INTERVAL_MS = 1000;
/** How long a payload that is sent again is recognised. SDKs send one again after a second. */
export const REMEMBERED_MS = 15 * 60 * 1000;

/** What one environment may have waiting, in rows. Only where storage is away does it come to that. */
const MAX_WEIGHT = 200_000;
/** Before they are merged, as many rows are saved in one transaction, so that other writers get their turn. */
const MAX_SAVED = 20_000;

export interface BufferBounds {
  maxWeight?: number;
  /** Payloads in memory that are recognised when they come again. The database recognises all. */
  maxSeen?: number;
}

type BufferKernel = Pick<Kernel, 'engine' | 'clock' | 'log' | 'metrics'>;

export class EventBuffer {
  readonly #kernel: BufferKernel;
  readonly #maxWeight: number;
  readonly #seen: BoundedCache<string, true>;
  readonly #budget = new RowBudget();
  readonly #requests = new RecentRequests();
  readonly #kinds = new RecentKinds();
  /** By environment and payload id. */
  #waiting = new Map<string, EventPayload>();
  /** By environment: what is waiting and being saved. */
  readonly #weights = new Map<string, number>();
  /** The save in progress; later ones wait for it. */
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(kernel: BufferKernel, { maxWeight = MAX_WEIGHT, maxSeen = 100_000 }: BufferBounds = {}) {
    this.#kernel = kernel;
    this.#maxWeight = maxWeight;
    this.#seen = new BoundedCache({ max: maxSeen });
  }

  /** Whether this node has accepted the payload before. */
  hasSeen(payload: Pick<EventPayload, 'environmentId' | 'id'>): boolean {
    const name = payloadName(payload);
    return this.#waiting.has(name) || this.#seen.get(name, this.#kernel.clock.now()) !== undefined;
  }

  /** It is saved within about a second. */
  add(payload: EventPayload): Extract<PayloadOutcome, 'accepted' | 'duplicate' | 'limited'> {
    if (this.hasSeen(payload)) return 'duplicate';
    const { environmentId } = payload;
    const weight = (this.#weights.get(environmentId) ?? 0) + weightOf(payload);
    if (weight > this.#maxWeight) return 'limited';
    const name = payloadName(payload);
    this.#seen.set(name, true, this.#kernel.clock.now() + REMEMBERED_MS);
    if (payload.uses.size > 0) {
      this.#weights.set(environmentId, weight);
      this.#waiting.set(name, payload);
      this.#wake();
    }
    return 'accepted';
  }

  /** Resolves when everything accepted before has been saved, or could not be. It never rejects. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#saving = this.#saving.then(() => this.#saveWaiting()));
  }

  /** Saves for the last time: what cannot be saved now is lost. */
  async close(): Promise<void> {
    await this.save();
    clearTimeout(this.#timer);
    this.#lose([...this.#waiting.values()]);
    this.#waiting.clear();
  }

  #wake(): void {
    this.#timer ??= setTimeout(() => void this.save(), SAVE_INTERVAL_MS).unref();
  }

  async #saveWaiting(): Promise<void> {
    const waiting = [...this.#waiting.values()];
    this.#waiting = new Map();
    for (let saved = 0; saved < waiting.length;) {
      const some = takeSome(waiting, saved);
      try {
        await this.#save(some);
      } catch (error) {
        if (isTemporary(error)) return this.#putBack(waiting.slice(saved), error);
        // The same payloads would fail again, and keep back all later ones.
        this.#kernel.log.error({ err: error, payloads: some.length }, 'events of SDKs could not be saved');
        this.#lose(some);
      }
      for (const payload of some) this.#unload(payload);
      saved += some.length;
    }
  }

  /** Each turn leaves out payloads that another node has saved. */
  async #save(payloads: readonly EventPayload[]): Promise<void> {
    const { db } = this.#kernel.engine;
    let rest = payloads;
    while (rest.length > 0) {
      const groups = await mergePayloads(rest);
      const rows = await toRows(groups, await findKnownFlags(db, groups), this.#budget);
      const usage = rows.usage.filter((row) => this.#requests.isWorthSaving(row));
      const contextKinds = rows.contextKinds.filter((row) => this.#kinds.isWorthSaving(row));
      try {
        await savePayloads(db, rest, { evaluations: rows.evaluations, usage, contextKinds });
        this.#requests.add(usage);
        this.#kinds.add(contextKinds);
        return;
      } catch (error) {
        if (!(error instanceof DuplicatePayloads)) throw error;
        const { duplicates } = error;
        rest = rest.filter((payload) => !duplicates.has(payloadName(payload)));
        this.#kernel.metrics.add(PAYLOADS, 'outcome="duplicate"', duplicates.size);
      }
    }
  }

  #putBack(payloads: readonly EventPayload[], error: unknown): void {
    this.#kernel.log.warn({ err: error, payloads: payloads.length }, 'events of SDKs wait for the database');
    // What came meanwhile goes behind. The same payload may have come again.
    const later = this.#waiting;
    this.#waiting = new Map(payloads.map((payload) => [payloadName(payload), payload]));
    for (const [name, payload] of later) {
      if (this.#waiting.has(name)) this.#unload(payload);
      else this.#waiting.set(name, payload);
    }
    this.#wake();
  }

  #unload(payload: EventPayload): void {
    const { environmentId } = payload;
    const weight = (this.#weights.get(environmentId) ?? 0) - weightOf(payload);
    if (weight > 0) this.#weights.set(environmentId, weight);
    else this.#weights.delete(environmentId);
  }

  #lose(payloads: readonly EventPayload[]): void {
    if (payloads.length === 0) return;
    this.#kernel.metrics.add(PAYLOADS, 'outcome="lost"', payloads.length);
    this.#kernel.log.warn({ payloads: payloads.length }, 'events of SDKs are lost');
  }
}

function takeSome(payloads: readonly EventPayload[], start: number): EventPayload[] {
  let weight = 0;
  let end = start;
  while (end < payloads.length && (end === start || weight < MAX_SAVED)) {
    weight += weightOf(payloads[end]!);
    end += 1;
  }
  return payloads.slice(start, end);
}

/** Whether the same payloads may be saved later. A conflict is a flag that has been deleted meanwhile. */
function isTemporary(error: unknown): boolean {
  return error instanceof Failure && ['unavailable', 'timeout', 'conflict'].includes(error.kind);
}

/** A time of the last request is exact to this. */
const REQUEST_EXACT_MS = 60_000;
const MAX_REQUESTED_FLAGS = 100_000;

class RecentRequests {
  /** By environment and flag. */
  readonly #saved = new BoundedCache<string, Pick<FlagUsageRow, 'last_requested_at' | 'last_default'>>({
    max: MAX_REQUESTED_FLAGS,
  });

  isWorthSaving(row: FlagUsageRow): boolean {
    const saved = this.#saved.get(flagNameOf(row));
    if (saved === undefined || row.last_requested_at - saved.last_requested_at >= REQUEST_EXACT_MS)
      return true;
    return row.last_default !== null && row.last_default !== saved.last_default;
  }

  /** For rows that have been saved. */
  add(rows: readonly FlagUsageRow[]): void {
    for (const row of rows) {
      const { last_requested_at, last_default } = row;
      this.#saved.set(flagNameOf(row), { last_requested_at, last_default });
    }
  }
}

function flagNameOf({ environment_id, flag_id }: FlagUsageRow): string {
  return `${environment_id} ${flag_id}`;
}

/** The time at which a kind was last seen is exact to this. */
const KIND_EXACT_MS = 60 * 60_000;
const MAX_KINDS = 100_000;

class RecentKinds {
  /** The time that was saved last, by environment, flag and kind. */
  readonly #saved = new BoundedCache<string, number>({ max: MAX_KINDS });

  isWorthSaving(row: FlagContextKindRow): boolean {
    const saved = this.#saved.get(kindNameOf(row));
    return saved === undefined || row.seen_at - saved >= KIND_EXACT_MS;
  }

  /** For rows that have been saved, or left out because there were too many. */
  add(rows: readonly FlagContextKindRow[]): void {
    for (const row of rows) this.#saved.set(kindNameOf(row), row.seen_at);
  }
}

function kindNameOf({ environment_id, flag_id, kind }: FlagContextKindRow): string {
  return `${environment_id} ${flag_id} ${kind}`;
}
