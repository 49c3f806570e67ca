// Packs items into the rows that are stored: chunks of text with their outlines, counts and new field names.
import { Failure } from '../../kernel/failure.ts';
import { parseJson } from '../../kernel/json/parse.ts';
import { isLarge, isSlowToWrite, stringifyLarge } from '../../kernel/json/stringify.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { isObject, isContainer, setProperty } from '../../kernel/json/json-value.ts';
import { type Item, SEPARATOR } from '../export/input.ts';

/** Chunks are small, because reading one item reads its whole chunk. */
const CHUNK_ITEMS = 1000;
const CHUNK_LENGTH = 64 * 1024;

/** Names beyond these are not stored: items keyed by URLs, for example, have no end of names. */
const MAX_FIELDS = 2000;
const MAX_FIELD_LENGTH = 200;

export interface Chunk {
  /** The position of its first item in the push. */
  at: number;
  count: number;
  bytes: number;
  outline: string | null;
  text: string;
}

export interface PackedItems {
  chunks: Chunk[];
  count: number;
  cleanCount: number;
  bytes: number;
  newFields: string[];
}

/** Accepts one object, a list of objects, or a string with the JSON of either. */
export async function readItems(body: unknown): Promise<Item[]> {
  const value = typeof body === 'string' ? await parseJson(Buffer.from(body)) : body;
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const wrong = items.findIndex((item) => !isObject(item));
  if (wrong === -1) return items as Item[];
  throw new Failure(
    'invalid',
    Array.isArray(value)
      ? `Each item must be a JSON object; the one at position ${wrong} is not`
      : 'The body must be a JSON object or an array of JSON objects',
  );
}

/** Yields to other work between slices. */
export async function packItems(
  items: readonly Item[],
  knownFields: ReadonlySet<string>,
): Promise<PackedItems> {
  const packer = new Packer(knownFields);
  const slice = new TimeSlice();
  for (const item of items) {
    const isSlow = isSlowToWrite(item);
    const text = isSlow ? (await stringifyLarge(item)).toString() : JSON.stringify(item);
    if (isSlow && isLarge(item)) packer.add(item, text);
    else packer.add(item, text, 'outlined');
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return packer.finish();
}

class Packer {
  readonly #knownFields: ReadonlySet<string>;
  readonly #newFields = new Set<string>();
  readonly #chunks: Chunk[] = [];
  #count = 0;
  #cleanCount = 0;
  #bytes = 0;
  #texts: string[] = [];
  #length = 0;
  #outline = new ColumnOutline();

  constructor(knownFields: ReadonlySet<string>) {
    this.#knownFields = knownFields;
  }

  add(item: Item, text: string, outlined?: 'outlined'): void {
    this.#count += 1;
    if (this.#addNames(item)) this.#cleanCount += 1;
    const isFull =
      this.#texts.length === CHUNK_ITEMS || (this.#length > 0 && this.#length + text.length > CHUNK_LENGTH);
    if (isFull) this.#cut();
    this.#texts.push(text);
    if (outlined) this.#outline.add(item);
    else this.#outline.discard();
    this.#length += text.length;
  }

  finish(): PackedItems {
    if (this.#texts.length > 0) this.#cut();
    return {
      chunks: this.#chunks,
      count: this.#count,
      cleanCount: this.#cleanCount,
      bytes: this.#bytes,
      newFields: [...this.#newFields],
    };
  }

  /** Returns whether the item has a field that is not hidden. */
  #addNames(item: Item): boolean {
    let isClean = false;
    for (const name of Object.keys(item)) {
      if (!name.startsWith('#')) isClean = true;
      if (!this.#knownFields.has(name) && this.#isWorthStoring(name)) this.#newFields.add(name);
    }
    return isClean;
  }

  #isWorthStoring(name: string): boolean {
    return this.#knownFields.size + this.#newFields.size < MAX_FIELDS && name.length <= MAX_FIELD_LENGTH;
  }

  #cut(): void {
    const text = this.#texts.join(SEPARATOR);
    const size = Buffer.byteLength(text);
    const last = this.#chunks.at(-1);
    const at = last === undefined ? 0 : last.at + last.count;
    const outline = this.#outline.toText(text.length);
    this.#chunks.push({ at, count: this.#texts.length, bytes: size, outline, text });
    this.#bytes += size;
    this.#texts = [];
    this.#length = 0;
    this.#outline = new ColumnOutline();
  }
}

/** Stores names as lines of JSON strings, because a name may contain any character. */
export function writeFields(names: readonly string[]): string {
  return names.map((name) => `${JSON.stringify(name)}\n`).join('');
}

export function readFields(text: string): string[] {
  return [
    ...new Set(text === '' ? [] : (JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as string[])),
  ];
}

/** A chunk whose items differ more than this gets no outline. */
const MAX_OUTLINED_ITEMS = 16;

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
    if (this.#first.length > MAX_OUTLINED_ITEMS) this.discard();
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
