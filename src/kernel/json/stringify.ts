// Writes JSON without blocking the event loop: a large value piece by piece.
import { isContainer, type JsonObject } from './json-value.ts';
import { TimeSlice } from '../yield-to-event-loop.ts';

/** Objects, lists and plain values that are looked at at once, in about a millisecond. */
const MANY = 2000;
/** JSON.stringify needs about a tenth of a microsecond for each. */
const MAX_AT_ONCE = 8000;
/** As many characters take as long as one value, if all of them must be escaped. */
const LENGTH_OF_VALUE = 64;

/** Whether it has more values than the limit; stops counting there. */
export function isLarge(value: unknown, most: number = MANY): boolean {
  return count(value, 0, most) > most;
}

/** Whether it must be written piece by piece, because of many values or long texts. */
export function isSlowToWrite(value: unknown): boolean {
  return count(value, 0, MAX_AT_ONCE, LENGTH_OF_VALUE) > MAX_AT_ONCE;
}

/** Stops soon after the limit. A text counts as one more value for each `length` characters. */
function count(value: unknown, before: number, most: number, length = Infinity): number {
  if (!isContainer(value)) return before + weightOf(value, length);
  let sum = before + 1;
  // Plain values are counted where they stand: a call for each would take twice as long.
  if (Array.isArray(value)) {
    if (value.length > most) return sum + value.length;
    for (const element of value) {
      sum = isContainer(element) ? count(element, sum, most, length) : sum + weightOf(element, length);
      if (sum > most) return sum;
    }
  } else {
    for (const key in value) {
      const member = value[key];
      sum = isContainer(member) ? count(member, sum, most, length) : sum + weightOf(member, length);
      if (sum > most) return sum;
    }
  }
  return sum;
}

function weightOf(value: unknown, length: number): number {
  return typeof value === 'string' ? 1 + Math.floor(value.length / length) : 1;
}

/** The bytes of what JSON.stringify would return. */
export async function stringifyLarge(value: unknown, replacer?: Replacer): Promise<Buffer> {
  const writer = new Writer(replacer);
  await writer.write(value);
  return writer.finish();
}

const PIECE_LENGTH = 64 * 1024;

type Replacer = (key: string, value: unknown) => unknown;

class Writer {
  readonly #replacer: Replacer | undefined;
  readonly #slice = new TimeSlice();
  readonly #pieces: Buffer[] = [];
  #text = '';

  constructor(replacer: Replacer | undefined) {
    this.#replacer = replacer;
  }

  async write(value: unknown): Promise<void> {
    if (!isSlowToWrite(value) || hasOwnWay(value)) this.#add(this.#stringify(value));
    else if (typeof value === 'string') await this.#writeText(value);
    else if (Array.isArray(value)) await this.#writeList(value);
    else await this.#writeObject(value as JsonObject);
  }

  finish(): Buffer {
    this.#pieces.push(Buffer.from(this.#text));
    return Buffer.concat(this.#pieces);
  }

  async #writeText(text: string): Promise<void> {
    this.#add('"');
    for (let at = 0; at < text.length;) {
      const end = pieceEnd(text, at);
      this.#add(JSON.stringify(text.slice(at, end)).slice(1, -1));
      at = end;
      if (this.#slice.isOver) await this.#slice.yieldToEventLoop();
    }
    this.#add('"');
  }

  async #writeList(list: readonly unknown[]): Promise<void> {
    this.#add('[');
    for (let at = 0; at < list.length;) {
      if (at > 0) this.#add(',');
      const end = runEnd(list, at);
      if (end === at) await this.write(list[at]);
      else this.#add(this.#stringify(list.slice(at, end)).slice(1, -1));
      at = Math.max(end, at + 1);
      if (this.#slice.isOver) await this.#slice.yieldToEventLoop();
    }
    this.#add(']');
  }

  async #writeObject(object: JsonObject): Promise<void> {
    let separator = '{';
    for (const key of Object.keys(object)) {
      const member = object[key];
      if (member === undefined) continue;
      this.#add(`${separator}${JSON.stringify(key)}:`);
      separator = ',';
      if (isSlowToWrite(member)) await this.write(member);
      else this.#add(this.#stringify(member));
      if (this.#slice.isOver) await this.#slice.yieldToEventLoop();
    }
    this.#add(separator === '{' ? '{}' : '}');
  }

  #stringify(value: unknown): string {
    return JSON.stringify(value, this.#replacer);
  }

  /** Encodes each piece at once, so that the whole need not be encoded in one slice. */
  #add(text: string): void {
    this.#text += text;
    if (this.#text.length < PIECE_LENGTH) return;
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** Does not split a surrogate pair: its halves would be escaped. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_LENGTH;
  return end < text.length && text.codePointAt(end - 1)! > 0xffff ? end + 1 : end;
}

/** The end of the run of small elements that can be written together. */
function runEnd(list: readonly unknown[], start: number): number {
  let sum = 0;
  let end = start;
  while (end < list.length && (sum = count(list[end], sum, MAX_AT_ONCE, LENGTH_OF_VALUE)) <= MAX_AT_ONCE)
    end += 1;
  return end;
}

/** Whether it has a `toJSON`, like a date. */
function hasOwnWay(value: unknown): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}
