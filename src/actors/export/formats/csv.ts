// Items as CSV (RFC 4180).
import { Failure } from '../../../kernel/failure.ts';
import { collectColumns, readRows } from './columns.ts';
import type { ExportOptions, ExportSource } from '../input.ts';
import { toText, writeText } from './text.ts';

export async function* exportCsv(
  source: ExportSource,
  { bom = true, delimiter = ',', skipHeaderRow = false, escapeFormulas = false }: ExportOptions = {},
  texts?: ExportSource<string>,
): AsyncGenerator<string, void> {
  const quoted = quotedWith(delimiter);
  const toCell = (value: unknown) =>
    escapeFormulas ? toHarmlessCell(value, quoted) : toPlainCell(value, quoted);
  const line = (cells: readonly unknown[]) => toLine(cells, delimiter, toCell);
  const columns = await collectColumns(source);
  // An empty table is an empty file, without a header row or a byte order mark.
  if (columns.count === 0) return;
  const head = skipHeaderRow ? '' : line(columns.names);
  // As texts, numbers could not be told from strings.
  const rows = readRows(columns, source, texts, escapeFormulas ? 'values' : 'texts');
  yield* writeText(rows, { bom, head, row: line });
}

function toLine(cells: readonly unknown[], delimiter: string, toCell: (value: unknown) => string): string {
  let line = toCell(cells[0]);
  // Many readers skip an empty line, so a row whose only cell is empty gets quotes.
  if (cells.length === 1 && line === '') line = '""';
  for (let at = 1; at < cells.length; at += 1) line += delimiter + toCell(cells[at]);
  return `${line}\r\n`;
}

/** Unchanged: text that looks like a formula is data, too, and a mark before it would be wrong for most readers. */
function toPlainCell(value: unknown, quoted: RegExp): string {
  const text = toText(value);
  return quoted.test(text) ? inQuotes(text) : text;
}

/** What spreadsheets take for the beginning of a formula, in full width too. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * For spreadsheets: an apostrophe makes text of what would be a formula. All texts are in quotes, because a spreadsheet may
 * split cells at other characters than the delimiter, depending on its language. Numbers stay what they are.
 */
function toHarmlessCell(value: unknown, quoted: RegExp): string {
  if (typeof value !== 'string' || value === '') return toPlainCell(value, quoted);
  return inQuotes(FORMULA.test(value) ? `'${value}` : value);
}

function inQuotes(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
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
