// Takes a base64 text out of a JSON object as its bytes arrive, so that neither has to be in memory; the rest is parsed as any body.
import { Failure } from '../../failure.ts';
import { tooLarge } from './body.ts';

/** What surrounds the text: a few names, and a message. */
const MAX_REST_BYTES = 1024 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTERS = /^[A-Za-z0-9+/]*={0,2}$/;
/** Line breaks, as programs that write base64 make them, and the slash, which some programs escape. */
const ESCAPES = /\\([nrt/])/g;
/** The most that a body may have whose text stands for so many bytes: with an escaped line break after every 60 characters. */
export function sizeInBase64(bytes: number): number {
  return Math.ceil((bytes / 3) * 4 * (62 / 60)) + 2 * MAX_REST_BYTES;
}

const NOT_BASE64 = 'is not valid Base64';

export class LargeBase64 {
  readonly #field: string;
  readonly #maxBytes: number;
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  /** The text of the top level that was read last: the name of a member, where a colon follows. */
  #word: number[] | undefined;
  #name = '';
  #isValue = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isInText = false;
  #hasText = false;
  /** Characters that wait for others: the beginning of an escape, and of a group of four. */
  #left = '';
  #hasEnded = false;
  #size = 0;

  /** `field` is a member of the object; what it stands for may have at most `maxBytes`. */
  constructor(field: string, maxBytes: number) {
    this.#field = field;
    this.#maxBytes = maxBytes;
  }

  /** The bytes that the text stands for. Both it and `rest` are complete when this has ended. */
  async *decode(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
    for await (const piece of pieces) {
      const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      let at = 0;
      while (at < chunk.length) {
        if (!this.#isInText) {
          at = this.#skip(chunk, at);
          continue;
        }
        const quote = chunk.indexOf(QUOTE, at);
        const end = quote === -1 ? chunk.length : quote;
        const bytes = this.#take(chunk.toString('latin1', at, end), quote !== -1);
        if (bytes.length > 0) yield bytes;
        at = end;
        if (quote !== -1) this.#isInText = false;
      }
    }
  }

  /** The object with an empty text. */
  get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** Keeps what is not in the text, and returns where that begins or the chunk ends. */
  #skip(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && !this.#isInText) {
      this.#see(chunk[at]!);
      at += 1;
    }
    this.#restBytes += at - from;
    if (this.#restBytes > MAX_REST_BYTES) throw tooLarge(MAX_REST_BYTES);
    this.#rest.push(Buffer.from(chunk.subarray(from, at)));
    return at;
  }

  #see(byte: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
      if (this.#isInString && this.#word !== undefined && this.#word.length <= this.#field.length)
        this.#word.push(byte);
      return;
    }
    switch (String.fromCharCode(byte)) {
      case '"':
        // The quote at the end of the text, too, begins nothing.
        if (this.#hasText && this.#name === this.#field && this.#isValue) {
          this.#isValue = false;
          return;
        }
        if (this.#depth === 1 && this.#isValue && this.#name === this.#field) {
          this.#isInText = true;
          this.#hasText = true;
          return;
        }
        this.#isInString = true;
        this.#word = this.#depth === 1 && !this.#isValue ? [] : undefined;
        return;
      case ':':
        if (this.#depth !== 1 || this.#isValue) return;
        this.#name = this.#word === undefined ? '' : String.fromCharCode(...this.#word);
        this.#isValue = true;
        if (this.#hasText && this.#name === this.#field)
          throw new Failure('malformed', `The request body has "${this.#field}" twice`, { part: 'json' });
        return;
      case ',':
        if (this.#depth === 1) this.#isValue = false;
        return;
      case '{':
      case '[':
        this.#depth += 1;
        return;
      case '}':
      case ']':
        this.#depth -= 1;
    }
  }

  #take(text: string, isLast: boolean): Buffer {
    const raw = this.#left + text;
    // An escape may be cut in two.
    const cut = !isLast && raw.endsWith('\\') ? raw.length - 1 : raw.length;
    const letters = raw.slice(0, cut).replaceAll(ESCAPES, (_escape, letter) => (letter === '/' ? '/' : ''));
    const whole = letters.length - (letters.length % 4);
    if (!LETTERS.test(letters) || (this.#hasEnded && letters !== '') || (isLast && whole < letters.length))
      throw this.#wrong(NOT_BASE64);
    if (letters.slice(0, whole).endsWith('=')) this.#hasEnded = true;
    this.#left = letters.slice(whole) + raw.slice(cut);
    const bytes = Buffer.from(letters.slice(0, whole), 'base64');
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) throw this.#wrong(`must not have more than ${this.#maxBytes} bytes`);
    return bytes;
  }

  #wrong(message: string): Failure {
    const fields = [{ field: this.#field, message }];
    return new Failure('invalid', `${this.#field} ${message}`, { fields });
  }
}
