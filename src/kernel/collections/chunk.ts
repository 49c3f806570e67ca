// Splits long lists into batches that one SQL statement can take.

/** PostgreSQL takes at most 65,535 parameters in one statement; SQLite about half as many. */
const BATCH_SIZE = 1000;

export function* chunk<Item>(items: readonly Item[], size: number = BATCH_SIZE): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
