// Splits long lists into batches that one SQL statement can take.

/** PostgreSQL takes at most 65,535 parameters in one statement; SQLite about half as many. */
const BATCH_SIZE = 1000;

export function* chunk<Item>(items: readonly Item[], size: number = BATCH_SIZE): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

const PADDED_BATCH = 64;

/**
 * Batches whose length is a power of two, padded by repeating the last item: seven lengths suffice for any list, so that the
 * database plans few different statements. These must tolerate duplicates.
 */
export function* paddedBatches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += PADDED_BATCH) {
    const batch = items.slice(start, start + PADDED_BATCH);
    const length = 2 ** Math.ceil(Math.log2(batch.length));
    yield [...batch, ...Array.from({ length: length - batch.length }, () => batch.at(-1)!)];
  }
}
