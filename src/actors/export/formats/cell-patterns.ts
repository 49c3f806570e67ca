// Reads the plain values out of the JSON text of items by patterns: most items of a table have one of a few shapes, and
// matching a pattern made from such a shape is several times as fast as parsing.
import { isContainer } from '../../../kernel/json/json-value.ts';
import { type Item, SEPARATOR } from '../input.ts';

/** Items of further shapes are parsed, and so are items of rare shapes. */
const MAX_SHAPES = 8;
const LEAST_TRIED = 200;
/** A shape with more values gets no pattern. */
const MAX_VALUES = 500;
/** Longer texts are parsed: a pattern stores backtracking positions for every character. */
const MAX_TEXT = 256 * 1024;

/** A value as JSON.stringify writes it: without spaces. */
const VALUE = String.raw`("[^"\\]*(?:\\.[^"\\]*)*"|[-+.\deE]+|true|false|null)`;

interface CellPattern {
  pattern: RegExp;
  /** The column of each captured value. */
  columns: readonly number[];
}

/** How items become rows of cells. */
interface TableLayout {
  cellsOf: (item: Item) => unknown[];
  /** A row of empty cells. */
  newRow: () => unknown[];
  /** The column of the value at this path of keys and indexes. */
  columnOf: (path: Path) => number | undefined;
}

/** JSON writes numbers and booleans as String() does, so a format of text can leave them as they are. */
export type CellForm = 'values' | 'texts';

export type Path = readonly (string | number)[];

/** Splits texts of items, written by JSON.stringify and joined by a comma and a line break, into the cells of each item. */
export function cellReader({
  cellsOf,
  newRow,
  columnOf,
}: TableLayout): (text: string, as?: CellForm) => unknown[][] {
  const shapes: CellPattern[] = [];
  let tried = 0;
  let missed = 0;

  const readShaped = (
    text: string,
    at: number,
    toCell: (json: string) => unknown,
  ): { cells: unknown[]; end: number } | undefined => {
    for (const [rank, { pattern, columns }] of shapes.entries()) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null) continue;
      // The next item probably has the same shape, so it is tried first.
      if (rank > 0) [shapes[0], shapes[rank]] = [shapes[rank]!, shapes[0]!];
      const cells = newRow();
      for (let n = 0; n < columns.length; n += 1) cells[columns[n]!] = toCell(found[n + 1]!);
      return { cells, end: pattern.lastIndex };
    }
    return undefined;
  };

  return (text, as) => {
    const toCell = as === 'texts' ? toTextCell : toValue;
    const rows: unknown[][] = [];
    if (text.length > MAX_TEXT || (tried > LEAST_TRIED && missed > tried / 4)) {
      for (const item of JSON.parse(`[${text}]`) as Item[]) rows.push(cellsOf(item));
      return rows;
    }
    for (let at = 0; at < text.length;) {
      tried += 1;
      const shaped = readShaped(text, at, toCell);
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

function toTextCell(text: string): unknown {
  const first = text.charCodeAt(0);
  return first === QUOTE || first === NULL ? toValue(text) : text;
}

const QUOTE = 0x22;
const NULL = 0x6e;

function toValue(text: string): unknown {
  switch (text.charCodeAt(0)) {
    case QUOTE:
      return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
    case 0x74: // true
      return true;
    case 0x66: // false
      return false;
    case NULL:
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

/** Counts empty objects and lists, too. */
function countValues(value: unknown): number {
  if (!isContainer(value)) return 1;
  let count = 1;
  for (const inner of Object.values(value)) count += countValues(inner);
  return count;
}
