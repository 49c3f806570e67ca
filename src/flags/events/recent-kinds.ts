// Remembers which context kinds of flags were saved lately, so that they are not written with every payload.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { FlagContextKindRow } from './tables.ts';

/** A time is exact to this. */
const EXACT_MS = 60 * 60_000;
const MAX_ROWS = 100_000;

export class RecentKinds {
  /** The time that was saved last, by environment, flag and kind. */
  readonly #saved = new BoundedCache<string, number>({ max: MAX_ROWS });

  isWorthSaving(row: FlagContextKindRow): boolean {
    const saved = this.#saved.get(nameOf(row));
    return saved === undefined || row.seen_at - saved >= EXACT_MS;
  }

  /** For rows that have been saved, or left out because there were too many. */
  add(rows: readonly FlagContextKindRow[]): void {
    for (const row of rows) this.#saved.set(nameOf(row), row.seen_at);
  }
}

function nameOf({ environment_id, flag_id, kind }: FlagContextKindRow): string {
  return `${environment_id} ${flag_id} ${kind}`;
}
