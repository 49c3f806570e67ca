// Items as rows of a table: the union of their columns, and the cells of an item in the order of the columns.
import { Failure } from '../../../kernel/failure.ts';
import { isContainer } from '../../../kernel/json/json-value.ts';
import type { Item, ExportSource } from '../input.ts';
import { cellReader, type CellForm, type Path } from './cell-patterns.ts';

const MAX_COLUMNS = 2000;
const MAX_NAME_LENGTH = 200;

export interface Columns {
  /** In order of first appearance. `a/b` is member b of a, `a/0` the first element of a. */
  names: readonly string[];
  /** The number of items. */
  count: number;
  /** Strings, numbers, booleans; null and undefined are empty. */
  cellsOf: (item: Item) => unknown[];
  /** The cells of each item in a text of several items (`item-texts.ts`); `texts` leaves numbers and booleans as text. */
  cellsIn: (text: string, as?: CellForm) => unknown[][];
}

/**
 * A node in the tree of keys. The same key may hold a plain value in one item and an object in the next, so a node may have
 * both a column and children. The tree saves building the column's name again for each value of each item.
 */
interface ColumnNode {
  name: string;
  /** The prefix of the children's names. */
  prefix: string;
  column: number | undefined;
  /** By key or by index: element 0 of an array and member `0` of an object share a column. */
  inside: Map<string | number, ColumnNode>;
}

/**
 * Reads all items once. An empty object or array has no column. Without items there are no columns: that is an empty
 * table and no error.
 */
export async function collectColumns(source: ExportSource): Promise<Columns> {
  const names: string[] = [];
  const byName = new Map<string, number>();
  const root: ColumnNode = { name: '', prefix: '', column: undefined, inside: new Map() };

  const columnOf = (name: string): number => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    if (names.length === MAX_COLUMNS) throw tooManyColumns();
    byName.set(name, names.length);
    return names.push(name) - 1;
  };
  const visit = (node: ColumnNode, key: string | number, value: unknown): void => {
    const known = node.inside.get(key);
    const next = known ?? newNode(node.prefix + key);
    if (isContainer(value)) visitAll(next, value);
    else next.column ??= columnOf(next.name);
    // Only nodes with columns are stored: millions of items may each have an empty object under another key.
    if (known === undefined && (next.column !== undefined || next.inside.size > 0))
      node.inside.set(key, next);
  };
  const visitAll = (node: ColumnNode, container: Item | unknown[]): void => {
    if (Array.isArray(container))
      for (let at = 0; at < container.length; at += 1) visit(node, at, container[at]);
    else for (const key of Object.keys(container)) visit(node, key, container[key]);
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
    let node: ColumnNode | undefined = root;
    for (const key of path) node = node?.inside.get(key);
    return node?.column;
  };
  return { names, count, cellsOf, cellsIn: cellReader({ newRow, cellsOf, columnOf: columnAt }) };
}

/** The rows of the table in batches, by patterns where the texts of the items are given. */
export async function* readRows(
  { cellsOf, cellsIn }: Columns,
  source: ExportSource,
  texts: ExportSource<string> | undefined,
  as: CellForm = 'values',
): AsyncGenerator<unknown[][], void> {
  if (texts === undefined) for await (const items of source()) yield items.map(cellsOf);
  else for await (const batch of texts()) for (const text of batch) yield cellsIn(text, as);
}

function fill(cells: unknown[], node: ColumnNode, container: Item | unknown[]): void {
  if (Array.isArray(container)) {
    for (let at = 0; at < container.length; at += 1) put(cells, node.inside.get(at), container[at]);
  } else {
    for (const key of Object.keys(container)) put(cells, node.inside.get(key), container[key]);
  }
}

function put(cells: unknown[], node: ColumnNode | undefined, value: unknown): void {
  if (node === undefined) return;
  if (isContainer(value)) fill(cells, node, value);
  else if (node.column !== undefined) cells[node.column] = value;
}

/** Each level makes the name longer, so the limit on its length also limits the recursion. */
function newNode(name: string): ColumnNode {
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
