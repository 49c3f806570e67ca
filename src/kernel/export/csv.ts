// Items as CSV (RFC 4180).
import { Failure } from '../failure.ts';
import { collectColumns, readRows } from './columns.ts';
import type { ExportOptions, ExportSource } from './input.ts';
import { toText, writeText } from './text.ts';

export async function* exportCsv(
  source: ExportSource,
  { bom = true, delimiter = ',', skipHeaderRow = false }: ExportOptions = {},
  texts?: ExportSource<string>,
): AsyncGenerator<string, void> {
  const quoted = quotedWith(delimiter);
  const line = (cells: readonly unknown[]) => toLine(cells, delimiter, quoted);
  const columns = await collectColumns(source);
  // An empty table is an empty file, without a header row or a byte order mark.
  if (columns.count === 0) return;
  const head = skipHeaderRow ? '' : line(columns.names);
  yield* writeText(readRows(columns, source, texts, 'texts'), { bom, head, row: line });
}

/**
 * Writes values unchanged: text that looks like a formula is data, too, and a quote put before it for spreadsheets would
 * be wrong for every other reader.
 */
function toLine(cells: readonly unknown[], delimiter: string, quoted: RegExp): string {
  let line = toCell(cells[0], quoted);
  // Many readers skip an empty line, so a row whose only cell is empty gets quotes.
  if (cells.length === 1 && line === '') line = '""';
  for (let at = 1; at < cells.length; at += 1) line += delimiter + toCell(cells[at], quoted);
  return `${line}\r\n`;
}

function toCell(value: unknown, quoted: RegExp): string {
  const text = toText(value);
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Matches text that needs quotes. */
function quotedWith(delimiter: string): RegExp {
  if ([...delimiter].length !== 1 || /["\r\n]/.test(delimiter)) {
    throw new Failure(
      'invalid',
      'The delimiter must be one character, and neither a quote nor a line break.',
    );
  }
  return new RegExp(`["\\r\\n${RegExp.escape(delimiter)}]`, 'u');
}
