// A filter for what was read already: every word of it is somewhere in the text.

export function fitsWords(text: string, words: string | undefined): boolean {
  if (words === undefined) return true;
  const folded = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
}
