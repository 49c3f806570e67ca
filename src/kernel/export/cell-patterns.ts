// Finds the plain values in the JSON text of items that look like earlier ones: most items of a table are of a few shapes,
// and a pattern made of such a shape is several times as fast as parsing.
import { isContainer } from '../patch/json-value.ts';
import type { Item } from './input.ts';
import { SEPARATOR } from './item-texts.ts';

/** Items of more shapes than these are parsed; so are items of shapes that hardly anything else has. */
const MAX_SHAPES = 8;
const LEAST_TRIED = 200;
/** A pattern for more values than these is not worth making. */
const MAX_VALUES = 500;
/** A pattern keeps track of where it was in a text; a long one is better parsed. */
const MAX_TEXT = 256 * 1024;

/** As JSON.stringify writes them: without spaces. */
const VALUE = String.raw`("[^"\\]*(?:\\.[^"\\]*)*"|[-+.\deE]+|true|false|null)`;

interface CellPattern {
  pattern: RegExp;
  /** The column of each value, in their order. */
  columns: readonly number[];
}

/** How a table takes in an item. */
export interface TableLayout {
  cellsOf: (item: Item) => unknown[];
  /** A row of empty cells. */
  newRow: () => unknown[];
  /** Where the value goes that is found by these keys and indexes. */
  columnOf: (path: Path) => number | undefined;
}

export type Path = readonly (string | number)[];

/** Reads texts of items that JSON.stringify wrote, joined by a comma and a line break, as the cells of each. */
export function cellReader({ cellsOf, newRow, columnOf }: TableLayout): (text: string) => unknown[][] {
  const shapes: CellPattern[] = [];
  let tried = 0;
  let missed = 0;

  const readShaped = (text: string, at: number): { cells: unknown[]; end: number } | undefined => {
    for (const [rank, { pattern, columns }] of shapes.entries()) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null) continue;
      // The shape of this item is likely that of the next.
      if (rank > 0) [shapes[0], shapes[rank]] = [shapes[rank]!, shapes[0]!];
      const cells = newRow();
      for (let n = 0; n < columns.length; n += 1) cells[columns[n]!] = toValue(found[n + 1]!);
      return { cells, end: pattern.lastIndex };
    }
    return undefined;
  };

  return (text) => {
    const rows: unknown[][] = [];
    if (text.length > MAX_TEXT || (tried > LEAST_TRIED && missed > tried / 4)) {
      for (const item of JSON.parse(`[${text}]`) as Item[]) rows.push(cellsOf(item));
      return rows;
    }
    for (let at = 0; at < text.length;) {
      tried += 1;
      const shaped = readShaped(text, at);
      if (shaped !== undefined) {
        rows.push(shaped.cells);
        at = shaped.end;
        continue;
      }
      missed += 1;
      const separator = text.indexOf(SEPARATOR, at);
      const end = separator === -1 ? text.length : separator;
      const item = JSON.parse(text.slice(at, end)) as Item;
      rows.push(cellsOf(item));
      const shape = shapes.length < MAX_SHAPES ? shapeOf(item, columnOf) : undefined;
      if (shape !== undefined) shapes.push(shape);
      at = end + SEPARATOR.length;
    }
    return rows;
  };
}

function toValue(text: string): unknown {
  switch (text.charCodeAt(0)) {
    case 0x22: // a quote
      return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
    case 0x74: // true
      return true;
    case 0x66: // false
      return false;
    case 0x6e: // null
      return null;
    default:
      return Number(text);
  }
}

function shapeOf(item: Item, columnOf: TableLayout['columnOf']): CellPattern | undefined {
  const columns: number[] = [];
  const toPattern = (value: unknown, path: Path): string => {
    if (!isContainer(value)) {
      columns.push(columnOf(path) ?? -1);
      return VALUE;
    }
    if (Array.isArray(value)) {
      return String.raw`\[${value.map((element, at) => toPattern(element, [...path, at])).join(',')}\]`;
    }
    const members = Object.keys(value).map(
      (key) => `${RegExp.escape(JSON.stringify(key))}:${toPattern(value[key], [...path, key])}`,
    );
    return String.raw`\{${members.join(',')}\}`;
  };
  if (countValues(item) > MAX_VALUES) return undefined;
  const source = toPattern(item, []);
  if (columns.includes(-1)) return undefined;
  return { pattern: new RegExp(`${source}(?:${SEPARATOR}|$)`, 'y'), columns };
}

/** All of them, empty objects and lists too. */
function countValues(value: unknown): number {
  if (!isContainer(value)) return 1;
  let count = 1;
  for (const inner of Object.values(value)) count += countValues(inner);
  return count;
}
