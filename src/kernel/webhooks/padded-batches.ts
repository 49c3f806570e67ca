// Splits a list into batches of few different lengths, so that the database plans few different statements.
const BATCH_SIZE = 64;

/**
 * Batches whose length is a power of two, padded by repeating the last item: seven lengths suffice for any list.
 * Statements made from them must tolerate duplicates.
 */
export function* paddedBatches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    const batch = items.slice(start, start + BATCH_SIZE);
    const length = 2 ** Math.ceil(Math.log2(batch.length));
    yield [...batch, ...Array.from({ length: length - batch.length }, () => batch.at(-1)!)];
  }
}
