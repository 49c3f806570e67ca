// Remembers which requests of flags were saved lately, so that a flag that is requested all the time is not written every second.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { FlagUsageRow } from '../feature-flags/tables.ts';

/** A time of the last request is exact to this. */
const EXACT_MS = 60_000;
const MAX_FLAGS = 100_000;

export class RecentRequests {
  /** By environment and flag. */
  readonly #saved = new BoundedCache<string, Pick<FlagUsageRow, 'last_requested_at' | 'last_default'>>({
    max: MAX_FLAGS,
  });

  isWorthSaving(row: FlagUsageRow): boolean {
    const saved = this.#saved.get(nameOf(row));
    if (saved === undefined || row.last_requested_at - saved.last_requested_at >= EXACT_MS) return true;
    return row.last_default !== null && row.last_default !== saved.last_default;
  }

  /** For rows that have been saved. */
  add(rows: readonly FlagUsageRow[]): void {
    for (const row of rows) {
      const { last_requested_at, last_default } = row;
      this.#saved.set(nameOf(row), { last_requested_at, last_default });
    }
  }
}

function nameOf({ environment_id, flag_id }: FlagUsageRow): string {
  return `${environment_id} ${flag_id}`;
}
