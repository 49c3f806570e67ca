// Cuts a list for statements: a statement for each length would be a plan for each length.
const LONGEST = 64;

/**
 * Pieces as long as a power of two, filled up by repeating the last item: seven lengths do for any list. Statements
 * made from them have to bear repetitions.
 */
export function* pieces<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += LONGEST) {
    const piece = items.slice(start, start + LONGEST);
    const length = 2 ** Math.ceil(Math.log2(piece.length));
    yield [...piece, ...Array.from({ length: length - piece.length }, () => piece.at(-1)!)];
  }
}
