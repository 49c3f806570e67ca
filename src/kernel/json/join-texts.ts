// Joins long lists of JSON texts.

/**
 * The texts with commas between them, in one flat text, which need not be copied once more to be sent. The first and the
 * last of the list are replaced.
 */
export function joinTexts(before: string, texts: string[], after: string): string {
  if (texts.length === 0) return before + after;
  texts[0] = before + texts[0]!;
  texts[texts.length - 1] += after;
  return texts.join(',');
}
