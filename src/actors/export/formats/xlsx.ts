// Items as an Office Open XML workbook, written as a stream.
import { collectColumns, readRows, type Columns } from './columns.ts';
import type { ExportOptions, ExportSource } from '../input.ts';
import { escapeMarkup, XML_DECLARATION } from './xml.ts';
import { toText, writeText } from './text.ts';
import { writeZip, type ZipPart } from '../zip.ts';

/** The limits of spreadsheet programs: rows of a sheet, header row included, and characters of a cell. */
const MAX_ROWS = 1_048_576;
const MAX_TEXT_LENGTH = 32_767;

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Items that do not fit on one sheet continue on the next. */
export async function* exportXlsx(
  source: ExportSource,
  _options?: ExportOptions,
  texts?: ExportSource<string>,
): AsyncGenerator<Uint8Array, void> {
  yield* writeWorkbook(source, MAX_ROWS - 1, texts);
}

export async function* writeWorkbook(
  source: ExportSource,
  rowsPerSheet: number,
  texts?: ExportSource<string>,
): AsyncGenerator<Uint8Array, void> {
  const columns = await collectColumns(source);
  const batches = readRows(columns, source, texts);
  try {
    yield* writeZip(workbookParts(columns, rowsPerSheet, { batches, rest: [] }));
  } finally {
    await batches.return();
  }
}

function* workbookParts(columns: Columns, rowsPerSheet: number, cursor: Cursor): Generator<ZipPart> {
  // Spreadsheet programs treat a workbook without sheets as damaged.
  const length = Math.max(1, Math.ceil(columns.count / rowsPerSheet));
  const sheets = Array.from({ length }, (_, at) => at + 1);
  const types = sheets.map(
    (n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${CONTENT_TYPE}.worksheet+xml"/>`,
  );
  const names = sheets.map(
    (n) => `<sheet name="Items${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`,
  );
  const targets = sheets.map((n) => relation(n, 'worksheet', `worksheets/sheet${n}.xml`));
  yield part(
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT_TYPE}.sheet.main+xml"/>${types.join('')}</Types>`,
  );
  yield part('_rels/.rels', relations([relation(1, 'officeDocument', 'xl/workbook.xml')]));
  yield part(
    'xl/workbook.xml',
    `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${names.join('')}</sheets></workbook>`,
  );
  yield part('xl/_rels/workbook.xml.rels', relations(targets));
  for (const n of sheets) {
    yield { name: `xl/worksheets/sheet${n}.xml`, content: writeSheet(columns, take(cursor, rowsPerSheet)) };
  }
}

function part(name: string, xml: string): ZipPart {
  return { name, content: [XML_DECLARATION + xml] };
}

function relations(list: string[]): string {
  return `<Relationships xmlns="${PACKAGE}/relationships">${list.join('')}</Relationships>`;
}

function relation(id: number, type: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
}

type Cells = readonly unknown[];

/** The position in the rows, kept from one sheet to the next. */
interface Cursor {
  batches: AsyncIterator<readonly Cells[]>;
  rest: readonly Cells[];
}

async function* take(cursor: Cursor, count: number): AsyncGenerator<readonly Cells[], void> {
  for (let left = count; left > 0;) {
    if (cursor.rest.length === 0) {
      const next = await cursor.batches.next();
      if (next.done === true) return;
      cursor.rest = next.value;
    }
    const batch = cursor.rest.slice(0, left);
    cursor.rest = cursor.rest.slice(left);
    left -= batch.length;
    yield batch;
  }
}

function writeSheet({ names }: Columns, rows: AsyncIterable<readonly Cells[]>): AsyncGenerator<string> {
  const letters = names.map((_, at) => columnLetters(at));
  let row = 1;
  const toRow = (cells: Cells): string => {
    let text = `<row r="${row}">`;
    for (let at = 0; at < cells.length; at += 1) {
      const value = cells[at];
      if (value != null) text += toCell(`${letters[at]}${row}`, value);
    }
    row += 1;
    return `${text}</row>`;
  };
  return writeText(rows, {
    head: `${XML_DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>${names.length === 0 ? '' : toRow(names)}`,
    row: toRow,
    tail: '</sheetData></worksheet>',
  });
}

function toCell(place: string, value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return `<c r="${place}"><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  const text = toText(value);
  const space = SPACED.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${place}" t="inlineStr"><is><t${space}>${escapeCell(text)}</t></is></c>`;
}

/** Text whose white space programs may remove unless it is marked. */
const SPACED = /^\s|\s$|\s\s|[\t\n\r]/;

/** Characters that XML cannot contain, the carriage return included, and text that looks like their escape. */
// oxlint-disable-next-line no-control-regex
const ESCAPED = /[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]|_(?=x[\dA-Fa-f]{4}_)/g;

/** A quick test for text that may need escaping; most text does not. */
// oxlint-disable-next-line no-control-regex
const SUSPECT = /[&<>"_\u0000-\u0008\u000B-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/;

/** Cuts text at the limit: programs treat a file with longer text as damaged. */
function escapeCell(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH && !SUSPECT.test(text)) return text;
  const cut = text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text;
  return escapeMarkup(
    cut.replaceAll(ESCAPED, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase();
      return `_x${code.padStart(4, '0')}_`;
    }),
  );
}

/** A, B, … Z, AA, AB, … */
function columnLetters(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : columnLetters(Math.floor(at / 26) - 1) + last;
}
