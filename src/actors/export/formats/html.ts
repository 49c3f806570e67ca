// Items as an HTML page with one table, well-formed as XML too.
import { collectColumns, readRows } from './columns.ts';
import type { ExportOptions, ExportSource } from '../input.ts';
import { escapeMarkup } from './xml.ts';
import { toText, writeText } from './text.ts';

const HEAD =
  '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"/><title>Items</title></head>\n<body>\n<table>\n';

export async function* exportHtml(
  source: ExportSource,
  { bom = false }: ExportOptions = {},
  texts?: ExportSource<string>,
): AsyncGenerator<string, void> {
  const columns = await collectColumns(source);
  yield* writeText(readRows(columns, source, texts, 'texts'), {
    bom,
    head: `${HEAD}<thead>\n${columns.count === 0 ? '' : toRow('th', columns.names)}</thead>\n<tbody>\n`,
    row: (cells) => toRow('td', cells),
    tail: '</tbody>\n</table>\n</body>\n</html>\n',
  });
}

function toRow(tag: 'th' | 'td', cells: readonly unknown[]): string {
  let row = '<tr>';
  for (const cell of cells) row += `<${tag}>${escapeMarkup(toText(cell))}</${tag}>`;
  return `${row}</tr>\n`;
}
