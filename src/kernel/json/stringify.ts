// Writes JSON without keeping others waiting: a large value piece by piece.
import { isContainer, type JsonObject } from '../patch/json-value.ts';
import { TimeSlice } from '../time-slice.ts';

/** What is written at once, in about a millisecond: so many objects, lists and plain values. */
const MOST_AT_ONCE = 2000;

/** Whether it has more values in it than this, or than can be written at once. Looks at no more of them. */
export function isLarge(value: unknown, most: number = MOST_AT_ONCE): boolean {
  return count(value, 0, most) > most;
}

/** Adds up to the most and a few. */
function count(value: unknown, before: number, most: number): number {
  let sum = before + 1;
  if (!isContainer(value)) return sum;
  if (Array.isArray(value)) {
    if (value.length > most) return sum + value.length;
    for (const element of value) if ((sum = count(element, sum, most)) > most) return sum;
  } else {
    for (const key in value) if ((sum = count(value[key], sum, most)) > most) return sum;
  }
  return sum;
}

/** The bytes of the text that JSON.stringify has for it. */
export async function stringifyLarge(value: unknown): Promise<Buffer> {
  const writer = new Writer();
  await writer.write(value);
  return writer.finish();
}

const PIECE_LENGTH = 64 * 1024;

class Writer {
  readonly #slice = new TimeSlice();
  readonly #pieces: Buffer[] = [];
  #text = '';

  async write(value: unknown): Promise<void> {
    if (!isLarge(value) || hasOwnWay(value)) this.#add(JSON.stringify(value));
    else if (Array.isArray(value)) await this.#writeList(value);
    else await this.#writeObject(value as JsonObject);
  }

  finish(): Buffer {
    this.#pieces.push(Buffer.from(this.#text));
    return Buffer.concat(this.#pieces);
  }

  async #writeList(list: readonly unknown[]): Promise<void> {
    this.#add('[');
    for (let at = 0; at < list.length;) {
      if (at > 0) this.#add(',');
      const end = runEnd(list, at);
      if (end === at) await this.write(list[at]);
      else this.#add(JSON.stringify(list.slice(at, end)).slice(1, -1));
      at = Math.max(end, at + 1);
      if (this.#slice.isOver) await this.#slice.next();
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
      if (isLarge(member)) await this.write(member);
      else this.#add(JSON.stringify(member));
      if (this.#slice.isOver) await this.#slice.next();
    }
    this.#add(separator === '{' ? '{}' : '}');
  }

  /** Turned into bytes as it comes, so that no slice has to do that for all of it. */
  #add(text: string): void {
    this.#text += text;
    if (this.#text.length < PIECE_LENGTH) return;
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** Where the elements end that can be written together, from here on. */
function runEnd(list: readonly unknown[], start: number): number {
  let sum = 0;
  let end = start;
  while (end < list.length && (sum = count(list[end], sum, MOST_AT_ONCE)) <= MOST_AT_ONCE) end += 1;
  return end;
}

/** A date, for one. */
function hasOwnWay(value: unknown): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}
