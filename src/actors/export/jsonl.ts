// Items as JSON texts, one on each line.
import type { ExportOptions, ExportSource } from './input.ts';
import { toJson } from './json.ts';
import { writeText } from './text.ts';

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
