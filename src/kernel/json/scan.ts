// Scans the bytes of a large JSON text before it is parsed: counts its values, and finds where it can be cut.
import { Failure } from '../failure.ts';
import { TimeSlice } from '../yield-to-event-loop.ts';

/** Deeper values overflow the stack of recursive code; no honest client sends any. */
export const MAX_JSON_DEPTH = 200;
/** Every operation on a larger object is slow. */
export const MAX_OBJECT_KEYS = 10_000;
/** Values in one item, nested ones included: an item is processed as a whole. */
export const MAX_ITEM_VALUES = 250_000;
export const MAX_JSON_ITEMS = 250_000;

/** Smaller texts are parsed at once, which takes a few milliseconds; only the limit on depth is within their reach. */
export const JSON_PART_BYTES = 64 * 1024;

export interface ScanOptions {
  /** Keys in all objects together; by default only each object and each item is limited. */
  maxKeys?: number | undefined;
  partBytes?: number;
}

/** An object, list or string larger than a part, cut into parts that can be parsed one by one. */
export interface CutJson {
  kind: 'object' | 'array' | 'string';
  /** The offset of the first byte inside the brackets or quotes; `end` is that of the closing one. */
  start: number;
  end: number;
  parts: JsonPart[];
}

/** Members or elements with the commas between them, or characters. A part with `inside` is one member or element. */
export interface JsonPart {
  start: number;
  end: number;
  inside?: CutJson;
}

/** An object or list that is still open. */
interface Open {
  isArray: boolean;
  start: number;
  /** The offset of the current member or element. */
  last: number;
  /** The offset of the current part. */
  cut: number;
  /** Keys or elements so far, without the current one. */
  count: number;
  parts: JsonPart[];
  /** The cuts of the current member or element, if it is large. */
  inside: CutJson | undefined;
}

const STEP_BYTES = 64 * 1024;

/**
 * Returns `scalar` for a value without nested ones and `broken` for what cannot be JSON; other errors are found when it
 * is parsed. Throws `invalid` if a limit is exceeded. Yields to other work now and then.
 */
export async function scanJson(
  bytes: Uint8Array,
  options: ScanOptions = {},
): Promise<CutJson | 'scalar' | 'broken'> {
  const scanner = new Scanner(bytes, options);
  const slice = new TimeSlice();
  for (let end = STEP_BYTES; ; end += STEP_BYTES) {
    scanner.advance(Math.min(end, bytes.length));
    if (scanner.isBroken) return 'broken';
    if (end >= bytes.length) return scanner.finish();
    if (slice.isOver) await slice.yieldToEventLoop();
  }
}

class Scanner {
  isBroken = false;
  readonly #bytes: Uint8Array;
  readonly #partBytes: number;
  readonly #maxKeys: number;
  readonly #open: Open[] = [];
  #at = 0;
  #isInString = false;
  /** The offset of the current string, or of the last one. */
  #stringStart = 0;
  /** Whether the current member or element has begun. */
  #hasValue = false;
  #root: CutJson | undefined;
  #isList = false;
  #keys = 0;
  /** Keys and elements of the current item. */
  #values = 0;

  constructor(bytes: Uint8Array, { partBytes = JSON_PART_BYTES, maxKeys = Infinity }: ScanOptions) {
    this.#bytes = bytes;
    this.#partBytes = partBytes;
    this.#maxKeys = maxKeys;
  }

  advance(end: number): void {
    const bytes = this.#bytes;
    let isInString = this.#isInString;
    let at = this.#at;
    for (; at < end && !this.isBroken; at += 1) {
      const byte = bytes[at]!;
      if (isInString) {
        if (byte === 0x5c) at += 1;
        else if (byte === 0x22) {
          isInString = false;
          if (at - this.#stringStart > this.#partBytes) this.#endLongString(at);
        }
      } else if (byte === 0x22) {
        isInString = this.#hasValue = true;
        this.#stringStart = at + 1;
      } else if (byte === 0x2c) this.#comma(at);
      else if (byte === 0x3a) this.#colon();
      else if (byte === 0x5b || byte === 0x7b) this.#enter(at, byte === 0x5b);
      else if (byte === 0x5d || byte === 0x7d) this.#leave(at, byte === 0x5d);
      else if (byte > 0x20) this.#hasValue = true;
    }
    this.#isInString = isInString;
    this.#at = at;
  }

  finish(): CutJson | 'scalar' | 'broken' {
    if (this.#isInString || this.#open.length > 0) return 'broken';
    const root = this.#root;
    if (root === undefined) return 'scalar';
    const isAlone =
      (root.kind !== 'string' || isBlank(this.#bytes, 0, root.start - 1)) &&
      isBlank(this.#bytes, root.end + 1, this.#bytes.length);
    return isAlone ? root : 'broken';
  }

  #enter(at: number, isArray: boolean): void {
    const depth = this.#open.length;
    if (depth === 0) {
      // A second root value, or text before the first: not JSON.
      this.isBroken = this.#root !== undefined || this.#hasValue;
      this.#isList = isArray;
    }
    if (depth === MAX_JSON_DEPTH) throw jsonTooDeep();
    const start = at + 1;
    this.#open.push({ isArray, start, last: start, cut: start, count: 0, parts: [], inside: undefined });
    this.#hasValue = false;
  }

  #leave(end: number, isArray: boolean): void {
    const open = this.#open.pop();
    if (open === undefined || open.isArray !== isArray) {
      this.isBroken = true;
      return;
    }
    if (isArray && this.#hasValue) this.#countElement(open, this.#open.length === 0);
    this.#hasValue = true;
    const parent = this.#open.at(-1);
    const { start, parts, inside } = open;
    if (parent !== undefined && parts.length === 0 && inside === undefined && end - start <= this.#partBytes)
      return;
    endPart(open, end);
    this.#addCut({ kind: isArray ? 'array' : 'object', start, end, parts });
  }

  #endLongString(end: number): void {
    const start = this.#stringStart;
    this.#addCut({ kind: 'string', start, end, parts: cutString(this.#bytes, start, end, this.#partBytes) });
  }

  #addCut(cut: CutJson): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#root = cut;
      return;
    }
    // The members or elements before it become a part without it.
    if (parent.cut < parent.last) parent.parts.push({ start: parent.cut, end: parent.last - 1 });
    parent.cut = parent.last;
    parent.inside = cut;
  }

  #comma(at: number): void {
    const open = this.#open.at(-1);
    if (open === undefined) {
      this.isBroken = true;
      return;
    }
    if (open.isArray) this.#countElement(open, this.#open.length === 1);
    if (open.inside !== undefined || at - open.cut >= this.#partBytes) {
      endPart(open, at);
      open.cut = at + 1;
    }
    open.last = at + 1;
    this.#hasValue = false;
  }

  #colon(): void {
    const open = this.#open.at(-1);
    if (open === undefined || open.isArray) {
      this.isBroken = true;
      return;
    }
    // A long string before a colon is a name, which is parsed with the rest.
    open.inside = undefined;
    open.count += 1;
    this.#keys += 1;
    if (open.count > MAX_OBJECT_KEYS) throw tooMany('An object in the body', MAX_OBJECT_KEYS, 'keys');
    if (this.#keys > this.#maxKeys) throw tooMany('The body', this.#maxKeys, 'keys in all');
    this.#countValue();
  }

  #countElement(open: Open, isItem: boolean): void {
    open.count += 1;
    if (!isItem) return this.#countValue();
    if (open.count > MAX_JSON_ITEMS) throw tooMany('The body', MAX_JSON_ITEMS, 'items');
    this.#values = 0;
  }

  #countValue(): void {
    this.#values += 1;
    if (this.#values > MAX_ITEM_VALUES)
      throw tooMany(
        this.#isList ? 'An item of the body' : 'The body',
        MAX_ITEM_VALUES,
        'keys and elements in all',
      );
  }
}

function endPart(open: Open, end: number): void {
  const { cut: start, inside } = open;
  open.parts.push(inside === undefined ? { start, end } : { start, end, inside });
  open.inside = undefined;
}

/** No part begins within an escape or a multi-byte character, so that each is a valid string. */
function cutString(bytes: Uint8Array, start: number, end: number, partBytes: number): JsonPart[] {
  const parts: JsonPart[] = [];
  for (let at = start; at < end;) {
    let stop = at + partBytes;
    const escape = lastEscape(bytes, at, stop);
    if (escape !== undefined) stop = Math.max(stop, escape + (bytes[escape + 1] === 0x75 ? 6 : 2));
    while (stop < end && (bytes[stop]! & 0xc0) === 0x80) stop += 1;
    parts.push({ start: at, end: Math.min(stop, end) });
    at = stop;
  }
  return parts;
}

/** The backslash of the last escape before the end, if that escape may reach beyond the end. */
function lastEscape(bytes: Uint8Array, start: number, end: number): number | undefined {
  for (let at = Math.min(end, bytes.length) - 1; at >= Math.max(start, end - 5); at -= 1) {
    if (bytes[at] !== 0x5c) continue;
    let first = at;
    while (first > start && bytes[first - 1] === 0x5c) first -= 1;
    // In a run of backslashes every second one is escaped.
    return (at - first) % 2 === 0 ? at : at - 1;
  }
  return undefined;
}

/** Whether the range has only white space of JSON. */
export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}

export function jsonTooDeep(): Failure {
  return new Failure('malformed', `The JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
}

function tooMany(what: string, most: number, of: string): Failure {
  return new Failure('invalid', `${what} has more than ${most.toLocaleString('en')} ${of}`);
}
