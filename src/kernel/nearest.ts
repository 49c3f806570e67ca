// The known word that was probably meant by one that is not known.

/** The word among the known ones that takes the fewest edits to reach, upper and lower case being alike. */
export function nearest(word: string, known: readonly string[]): string {
  return known.toSorted((a, b) => distance(word, a) - distance(word, b))[0]!;
}

/** Longer words are not typed by hand, and comparing them would cost time that a caller decides on. */
const MOST_LETTERS = 64;

/** The nearest word, where it is near enough to have been meant. */
export function likelyMeant(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > MOST_LETTERS) return undefined;
  const found = nearest(word, known);
  // Two letters in each other's place are two edits.
  const most = Math.min(word.length - 1, Math.max(2, Math.floor(word.length / 3)));
  return distance(word, found) <= most ? found : undefined;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a.toLowerCase()].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b.toLowerCase()].entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
