// A text in which the beginnings of words that were searched for are marked.
import type { ReactNode } from 'react';

/** `MarkedText` of "New checkout" for "che" marks "che". */
export function MarkedText({ text, words }: { text: string; words: readonly string[] }) {
  return <>{markWords(text, words)}</>;
}

/** As the search does, only at beginnings of words; letters with and without marks are the same. */
function markWords(text: string, words: readonly string[]): ReactNode[] {
  const wanted = words.map(fold).filter((word) => word !== '');
  const parts: ReactNode[] = [];
  let done = 0;
  for (const { index, 0: word } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const folded = fold(word);
    const longest = wanted
      .filter((one) => folded.startsWith(one))
      .reduce((length, one) => Math.max(length, one.length), 0);
    if (longest === 0) continue;
    const end = index + lengthOf(word, longest);
    parts.push(text.slice(done, index), <mark key={index}>{text.slice(index, end)}</mark>);
    done = end;
  }
  return [...parts, text.slice(done)];
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** How many characters of the text its first `length` folded ones come from. */
function lengthOf(text: string, length: number): number {
  let end = 0;
  for (const letter of text) {
    if (fold(text.slice(0, end)).length >= length) break;
    end += letter.length;
  }
  return end;
}

/** The words of a search, as the server parts them. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}
