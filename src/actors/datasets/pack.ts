// Turns items into what the store keeps of them: chunks of text, counts, and names of fields that are new.
import type { Item } from '../../kernel/export/input.ts';
import { Failure } from '../../kernel/failure.ts';
import { parseJson } from '../../kernel/json/parse.ts';
import { isLarge, isSlowToWrite, stringifyLarge } from '../../kernel/json/stringify.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { isObject } from '../../kernel/patch/json-value.ts';
import { Outline } from './outline.ts';
import { SEPARATOR } from '../../kernel/export/item-texts.ts';

/** As large as is good to read: one item more than asked for costs no more than its chunk. */
const CHUNK_ITEMS = 1000;
const CHUNK_LENGTH = 64 * 1024;

/** Beyond these a dataset does not learn names: items keyed by an address, say, have no end of them. */
const MOST_FIELDS = 2000;
const LONGEST_FIELD = 200;

export interface Chunk {
  /** Where its first item stands among those that are pushed together. */
  at: number;
  count: number;
  bytes: number;
  outline: string | null;
  text: string;
}

export interface Packed {
  chunks: Chunk[];
  count: number;
  cleanCount: number;
  bytes: number;
  newFields: string[];
}

/** One object, a list of them, or a string that is the JSON of either. */
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

/** Gives way to other work now and then. */
export async function packItems(items: readonly Item[], knownFields: ReadonlySet<string>): Promise<Packed> {
  const packer = new Packer(knownFields);
  const slice = new TimeSlice();
  for (const item of items) {
    const isSlow = isSlowToWrite(item);
    const text = isSlow ? (await stringifyLarge(item)).toString() : JSON.stringify(item);
    if (isSlow && isLarge(item)) packer.add(item, text);
    else packer.add(item, text, 'outlined');
    if (slice.isOver) await slice.next();
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
  #outline = new Outline();

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
    else this.#outline.giveUp();
    this.#length += text.length;
  }

  finish(): Packed {
    if (this.#texts.length > 0) this.#cut();
    return {
      chunks: this.#chunks,
      count: this.#count,
      cleanCount: this.#cleanCount,
      bytes: this.#bytes,
      newFields: [...this.#newFields],
    };
  }

  /** Whether any of them is not hidden. */
  #addNames(item: Item): boolean {
    let isClean = false;
    for (const name of Object.keys(item)) {
      if (!name.startsWith('#')) isClean = true;
      if (!this.#knownFields.has(name) && this.#isWorthKnowing(name)) this.#newFields.add(name);
    }
    return isClean;
  }

  #isWorthKnowing(name: string): boolean {
    return this.#knownFields.size + this.#newFields.size < MOST_FIELDS && name.length <= LONGEST_FIELD;
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
    this.#outline = new Outline();
  }
}
/** Names as they are kept: lines of JSON strings, as a name may hold anything. */
export function writeFields(names: readonly string[]): string {
  return names.map((name) => `${JSON.stringify(name)}\n`).join('');
}

export function readFields(text: string): string[] {
  return [
    ...new Set(text === '' ? [] : (JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as string[])),
  ];
}
