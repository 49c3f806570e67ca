// The outline of a chunk: the first items that have each column, so that an export finds the columns without reading all items.
import type { Item } from '../export/input.ts';
import { isContainer, setProperty } from '../../kernel/json/json-value.ts';
import { SEPARATOR } from '../export/item-texts.ts';

/** A chunk whose items differ more than this gets no outline. */
const MAX_ITEMS = 16;

/** A node in the tree of paths (keys and indexes) that occur in the items. */
interface PathNode {
  hasValue: boolean;
  children: Map<string | number, PathNode>;
}

const newNode = (): PathNode => ({ hasValue: false, children: new Map() });

/**
 * Collects the items, in their order, that have a value at a path where none before had one. A table of these alone has the
 * same columns as one of all items, in the same order.
 */
export class ColumnOutline {
  readonly #root = newNode();
  readonly #first: string[] = [];
  #isDiscarded = false;

  add(item: Item): void {
    if (this.#isDiscarded || !addPaths(this.#root, item)) return;
    this.#first.push(JSON.stringify(blank(item)));
    if (this.#first.length > MAX_ITEMS) this.discard();
  }

  /** For an item that would take long to walk: an export then reads the items themselves. */
  discard(): void {
    this.#isDiscarded = true;
  }

  /** The collected items with null for every value, or null when that is not much shorter than all items. */
  toText(itemsLength: number): string | null {
    const text = this.#first.join(SEPARATOR);
    return this.#isDiscarded || text.length > itemsLength / 8 ? null : text;
  }
}

/** Returns whether the value has a path that is new. */
function addPaths(node: PathNode, value: unknown): boolean {
  if (!isContainer(value)) {
    if (node.hasValue) return false;
    node.hasValue = true;
    return true;
  }
  let isNew = false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      if (addPaths(childOf(node, at), value[at])) isNew = true;
    }
  } else {
    for (const key of Object.keys(value)) if (addPaths(childOf(node, key), value[key])) isNew = true;
  }
  return isNew;
}

function childOf({ children }: PathNode, key: string | number): PathNode {
  let node = children.get(key);
  if (node === undefined) children.set(key, (node = newNode()));
  return node;
}

function blank(value: unknown): unknown {
  if (!isContainer(value)) return null;
  if (Array.isArray(value)) return value.map(blank);
  const copy: Item = {};
  for (const key of Object.keys(value)) setProperty(copy, key, blank(value[key]));
  return copy;
}
