// Variations, rollouts, names and counts as the audit log writes them, in Markdown.
import { shorten } from '../../../kernel/json/pointer.ts';
import type { Flag, Serve } from '../flag.ts';

/** In Markdown: a variation, or the shares of a rollout. */
export function describeServe(flag: Flag, { variation, rollout }: Serve): string {
  if (rollout === undefined) return describeVariation(flag, variation);
  const shares = rollout.variations.map(
    (share) => `${share.weight / 1000}% ${describeVariation(flag, share.variation)}`,
  );
  return shares.length > 5 ? 'a rollout' : shares.join(', ');
}

export function describeVariation({ variations }: Flag, index: number | undefined): string {
  if (index === undefined) return 'nothing';
  const { name, value } = variations[index] ?? {};
  return quoteCode(name ?? JSON.stringify(value) ?? String(index));
}

export function countOf(list: readonly unknown[], word: string): string {
  return list.length === 1 ? `a ${word}` : `${list.length} ${word}s`;
}

export function listCode(words: readonly string[]): string {
  const shown = words.slice(0, 10).map(quoteCode).join(', ');
  return words.length > 10 ? `${shown} and ${words.length - 10} more` : shown;
}

/** As a code span, so that its characters are not read as Markdown. */
export function quoteCode(text: string): string {
  return `\`${shorten(text.replaceAll('`', "'").replaceAll(/\s+/g, ' '))}\``;
}
