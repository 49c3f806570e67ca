// Items as one JSON array, or as JSON lines.
import { itemTooDeep, type ExportOptions, type ExportSource } from '../input.ts';
import { writeText } from './text.ts';

const ARRAY = { head: '[', between: ',\n', tail: ']' };

export function exportJson(
  source: ExportSource,
  { bom = false }: ExportOptions = {},
): AsyncGenerator<string, void> {
  return writeText(source(), { ...ARRAY, bom, row: toJson });
}

/** The same from items that are already JSON texts: these are joined, not parsed. */
export function exportJsonTexts(
  source: ExportSource<string>,
  { bom = false }: ExportOptions = {},
): AsyncGenerator<string, void> {
  return writeText(source(), { ...ARRAY, bom, row: (text) => text });
}

/** A text on each line. */
export function exportJsonl(
  source: ExportSource,
  { bom = false }: ExportOptions = {},
): AsyncGenerator<string, void> {
  return writeText(source(), { bom, row: (item) => `${toJson(item)}\n` });
}

/** The same from items that are already JSON texts without line breaks, as JSON.stringify writes them. */
export function exportJsonlTexts(
  source: ExportSource<string>,
  { bom = false }: ExportOptions = {},
): AsyncGenerator<string, void> {
  return writeText(source(), { bom, row: (text) => `${text}\n` });
}

export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify recurses: an item that is too deep overflows the stack.
    if (error instanceof RangeError) throw itemTooDeep();
    throw error;
  }
}
