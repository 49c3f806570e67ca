// Items as JSON texts: several stand in one text, joined so that with a bracket on either side they are JSON.
import type { Item } from './input.ts';

/** JSON.stringify writes no line break, so that a text can be taken apart again without parsing it. */
export const SEPARATOR = ',\n';

/** Parsed together: that is faster than one by one. */
export function parseItems(text: string): Item[] {
  return JSON.parse(`[${text}]`) as Item[];
}

/** As lines of JSON. */
export function toLines(text: string): string {
  return text.replaceAll(SEPARATOR, '\n');
}
