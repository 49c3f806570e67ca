// Texts of several items each: JSON texts joined so that brackets around them make a JSON array.
import type { Item } from './input.ts';

/** JSON.stringify writes no line breaks, so a text can be split without parsing it. */
export const SEPARATOR = ',\n';

/** One parse of all items is faster than one for each. */
export function parseItems(text: string): Item[] {
  return JSON.parse(`[${text}]`) as Item[];
}

/** As JSON lines. */
export function toLines(text: string): string {
  return text.replaceAll(SEPARATOR, '\n');
}
