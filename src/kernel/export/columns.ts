// Items as rows of a table: which columns they have between them, and an item's cells in the order of the columns.
import { Failure } from '../failure.ts';
import { isContainer } from '../patch/json-value.ts';
import type { Item, ExportSource } from './input.ts';
import { cellReader, type Path } from './cell-patterns.ts';

const MAX_COLUMNS = 2000;
const MAX_NAME_LENGTH = 200;

export interface Columns {
  /** In the order in which the items show them first. `a/b` is member b of a, `a/0` the first element of a. */
  names: readonly string[];
  /** How many items there are. */
  count: number;
  /** Strings, numbers, booleans; null and undefined are empty. */
  cellsOf: (item: Item) => unknown[];
  /** The cells of each item in a text of several, as `Texts` has them. */
  cellsIn: (text: string) => unknown[][];
}

/**
 * A place that values are found at. A place holds plain values in one item and members in the next, so it may have both a
 * column and further places. The tree spares putting the name together again for each value of each item.
 */
interface Place {
  name: string;
  /** What the names of the places inside begin with. */
  prefix: string;
  column: number | undefined;
  /** By key, or by index: an array and an object may meet at one place, and mean the same column by `0`. */
  inside: Map<string | number, Place>;
}

/**
 * Goes through all items once. Members of an empty object or array are none, so it has no column. Where there are no items
 * there are no columns: that is an empty table, and no error.
 */
export async function collectColumns(source: ExportSource): Promise<Columns> {
  const names: string[] = [];
  const byName = new Map<string, number>();
  const root: Place = { name: '', prefix: '', column: undefined, inside: new Map() };

  const columnOf = (name: string): number => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    if (names.length === MAX_COLUMNS) throw tooManyColumns();
    byName.set(name, names.length);
    return names.push(name) - 1;
  };
  const visit = (place: Place, key: string | number, value: unknown): void => {
    const known = place.inside.get(key);
    const next = known ?? newPlace(place.prefix + key);
    if (isContainer(value)) visitAll(next, value);
    else next.column ??= columnOf(next.name);
    // Places without columns would be kept without limit: millions of items may each have an empty object of another name.
    if (known === undefined && (next.column !== undefined || next.inside.size > 0))
      place.inside.set(key, next);
  };
  const visitAll = (place: Place, container: Item | unknown[]): void => {
    if (Array.isArray(container))
      for (let at = 0; at < container.length; at += 1) visit(place, at, container[at]);
    else for (const key of Object.keys(container)) visit(place, key, container[key]);
  };

  let count = 0;
  for await (const batch of source()) {
    count += batch.length;
    for (const item of batch) visitAll(root, item);
  }
  if (names.length === 0 && count > 0) throw noColumns();
  const blank: unknown[] = names.map(() => undefined);
  const newRow = () => blank.slice();
  const cellsOf = (item: Item) => {
    const cells = newRow();
    fill(cells, root, item);
    return cells;
  };
  const columnAt = (path: Path): number | undefined => {
    let place: Place | undefined = root;
    for (const key of path) place = place?.inside.get(key);
    return place?.column;
  };
  return { names, count, cellsOf, cellsIn: cellReader({ newRow, cellsOf, columnOf: columnAt }) };
}

/** The rows of the table in batches, by the quicker way where there is one. */
export async function* readRows(
  { cellsOf, cellsIn }: Columns,
  source: ExportSource,
  texts: ExportSource<string> | undefined,
): AsyncGenerator<unknown[][], void> {
  if (texts === undefined) for await (const items of source()) yield items.map(cellsOf);
  else for await (const batch of texts()) for (const text of batch) yield cellsIn(text);
}

function fill(cells: unknown[], place: Place, container: Item | unknown[]): void {
  if (Array.isArray(container)) {
    for (let at = 0; at < container.length; at += 1) put(cells, place.inside.get(at), container[at]);
  } else {
    for (const key of Object.keys(container)) put(cells, place.inside.get(key), container[key]);
  }
}

function put(cells: unknown[], place: Place | undefined, value: unknown): void {
  if (place === undefined) return;
  if (isContainer(value)) fill(cells, place, value);
  else if (place.column !== undefined) cells[place.column] = value;
}

/** Each level makes the name longer, so that the limit of its length also keeps the recursion shallow. */
function newPlace(name: string): Place {
  if (name.length > MAX_NAME_LENGTH) {
    throw new Failure(
      'invalid',
      `The column "${name.slice(0, MAX_NAME_LENGTH)}…" has a longer name than ${MAX_NAME_LENGTH} characters. ` +
        'Leave the field out, or take a format without columns.',
    );
  }
  return { name, prefix: `${name}/`, column: undefined, inside: new Map() };
}

function tooManyColumns(): Failure {
  return new Failure(
    'invalid',
    `The items have more than ${MAX_COLUMNS} columns between them. Pick some fields, or take a format without columns.`,
  );
}

function noColumns(): Failure {
  return new Failure('invalid', 'There is no table to export: no item has a column.', {
    code: 'no-columns-in-exported-dataset',
  });
}
