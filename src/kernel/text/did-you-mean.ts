// Finds the known word that a misspelled one probably means.

/** The known word with the smallest edit distance, ignoring case. */
export function closestWord(word: string, known: readonly string[]): string {
  return findClosest(word, known, Infinity)!;
}

/** Longer words are not typed by hand, and the time to compare them would be the caller's choice. */
const MAX_LETTERS = 40;

/** The nearest word, if its distance is small enough. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LETTERS) return undefined;
  // Two swapped letters count as two edits.
  return findClosest(word, known, Math.min(word.length - 1, Math.max(2, Math.floor(word.length / 3))));
}

function findClosest(word: string, known: readonly string[], most: number): string | undefined {
  const wanted = word.toLowerCase();
  let found: string | undefined;
  let fewest = most + 1;
  for (const one of known) {
    if (Math.abs(one.length - wanted.length) >= fewest) continue;
    const edits = distance(wanted, one.toLowerCase());
    if (edits < fewest) [found, fewest] = [one, edits];
  }
  return found;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
