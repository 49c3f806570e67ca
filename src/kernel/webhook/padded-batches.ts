// Cuts a list for statements: a statement for each length would be a plan for each length.
const BATCH_SIZE = 64;

/**
 * Pieces as long as a power of two, filled up by repeating the last item: seven lengths do for any list. Statements
 * made from them have to bear repetitions.
 */
export function* paddedBatches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    const batch = items.slice(start, start + BATCH_SIZE);
    const length = 2 ** Math.ceil(Math.log2(batch.length));
    yield [...batch, ...Array.from({ length: length - batch.length }, () => batch.at(-1)!)];
  }
}
