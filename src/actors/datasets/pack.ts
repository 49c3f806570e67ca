// Turns items into what the store keeps of them: chunks of text, counts, and names of fields that are new.
import { parseJson } from '../../kernel/body.ts';
import type { Item } from '../../kernel/export/input.ts';
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/patch/json-value.ts';
import { Outline } from './outline.ts';
import { SEPARATOR } from './separator.ts';

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
export function readItems(body: unknown): Item[] {
  const value = typeof body === 'string' ? parseJson(Buffer.from(body)) : body;
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

export function packItems(items: readonly Item[], knownFields: ReadonlySet<string>): Packed {
  const chunks: Chunk[] = [];
  const newFields = new Set<string>();
  let cleanCount = 0;
  let bytes = 0;
  let texts: string[] = [];
  let length = 0;
  let outline = new Outline();
  const cut = () => {
    const text = texts.join(SEPARATOR);
    const size = Buffer.byteLength(text);
    const last = chunks.at(-1);
    const at = last === undefined ? 0 : last.at + last.count;
    chunks.push({ at, count: texts.length, bytes: size, outline: outline.toText(text.length), text });
    bytes += size;
    texts = [];
    length = 0;
    outline = new Outline();
  };
  for (const item of items) {
    let isClean = false;
    for (const name of Object.keys(item)) {
      if (!name.startsWith('#')) isClean = true;
      if (!knownFields.has(name) && isWorthKnowing(name, knownFields.size + newFields.size))
        newFields.add(name);
    }
    if (isClean) cleanCount += 1;
    const text = JSON.stringify(item);
    if (texts.length === CHUNK_ITEMS || (length > 0 && length + text.length > CHUNK_LENGTH)) cut();
    texts.push(text);
    outline.add(item);
    length += text.length;
  }
  if (texts.length > 0) cut();
  return { chunks, count: items.length, cleanCount, bytes, newFields: [...newFields] };
}

function isWorthKnowing(name: string, knownCount: number): boolean {
  return knownCount < MOST_FIELDS && name.length <= LONGEST_FIELD;
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
