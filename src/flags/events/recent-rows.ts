// Remembers which requests and context kinds of flags were saved lately, so that what comes all the time is not written every second.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { FlagUsageRow } from '../feature-flags/tables.ts';
import type { FlagContextKindRow } from './tables.ts';

/** A time of the last request is exact to this. */
const REQUEST_EXACT_MS = 60_000;
const MAX_REQUESTED_FLAGS = 100_000;

export class RecentRequests {
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

export class RecentKinds {
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
