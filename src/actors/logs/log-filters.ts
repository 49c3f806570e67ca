// What readers do not get of a log: ANSI escape sequences, and what only the owner of a build may know.
import { STAMP_BYTES } from './model.ts';

const MASK = '***';
/** Shorter values are words of any log, such as `1` or `on`. */
const MIN_LENGTH = 4;
const NEWLINE = 0x0a;

/** The name of a private repository is its owner's too. */
const REPOSITORY = /^(ACTOR: Reading the repository ).+( of this server\.)$/;

interface MaskedValue {
  value: string;
  /** A secret is masked however short it is. */
  isSecret: boolean;
}

/** Takes the pieces of a log, and returns whole lines. Lines have a limited length, so that the rest that waits has one too. */
export class LogMask {
  readonly #texts: readonly string[];
  #rest: Uint8Array = new Uint8Array();

  constructor(values: readonly MaskedValue[]) {
    // The longest first: one may contain another.
    this.#texts = [...new Set(values.flatMap(textsOf))].toSorted((a, b) => b.length - a.length);
  }

  mask(bytes: Uint8Array): Uint8Array {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#rest = Buffer.concat([this.#rest, bytes]);
      return new Uint8Array();
    }
    const lines = Buffer.concat([this.#rest, bytes.subarray(0, end)]);
    this.#rest = Uint8Array.from(bytes.subarray(end));
    return this.#masked(lines);
  }

  /** What is left, after the last piece. */
  end(): Uint8Array {
    const rest = this.#masked(Buffer.from(this.#rest));
    this.#rest = new Uint8Array();
    return rest;
  }

  #masked(lines: Buffer): Uint8Array {
    const text = lines.toString('utf8');
    const present = this.#texts.filter((one) => text.includes(one));
    if (present.length === 0 && !text.includes('ACTOR: Reading')) return lines;
    return Buffer.from(
      text
        .split('\n')
        .map((line) => maskLine(line, present))
        .join('\n'),
    );
  }
}

/** Clients find lines by their times, so that these stay. */
function maskLine(line: string, texts: readonly string[]): string {
  const printed = line.slice(STAMP_BYTES).replace(REPOSITORY, `$1${MASK}$2`);
  const masked = texts.reduce((shown, text) => shown.replaceAll(text, MASK), printed);
  return line.slice(0, STAMP_BYTES) + masked;
}

/** As programs print them: line by line, and encoded. */
function textsOf({ value, isSecret }: MaskedValue): string[] {
  const lines = value.split(/\r?\n/);
  const minLength = isSecret && lines.length === 1 ? 1 : MIN_LENGTH;
  const bytes = Buffer.from(value);
  const encoded = [
    bytes.toString('base64'),
    bytes.toString('base64url'),
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
  ];
  return [
    ...lines.filter((line) => line.length >= minLength),
    ...encoded.filter((text) => text.length >= MIN_LENGTH && value.length >= MIN_LENGTH),
  ];
}

const ESCAPE = 0x1b;
const BELL = 0x07;
const BACKSLASH = 0x5c;
/** The first byte of the C1 controls in UTF-8; the second one of the control that is the same as `ESC [`. */
const C1 = 0xc2;
const C1_SEQUENCE = 0x9b;

/** Where the next byte belongs. */
type AnsiState =
  | 'text'
  | 'escape'
  | 'sequence' // after `ESC [`, up to a final byte
  | 'string' // after `ESC ]` and the like, up to BEL or `ESC \`
  | 'escape-in-string'
  | 'designation' // such as `ESC ( B`
  | 'c1';

/** One pass, with a state of constant size. A sequence that is not complete ends with its line at the latest. */
export class AnsiStripper {
  #state: AnsiState = 'text';

  strip(bytes: Uint8Array): Uint8Array {
    if (this.#state === 'text' && !bytes.includes(ESCAPE) && !bytes.includes(C1)) return bytes;
    const out = Buffer.allocUnsafe(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      const before = this.#state;
      if (before === 'c1' && byte !== C1_SEQUENCE) out[length++] = C1;
      const state = stateAfter(before, byte);
      this.#state = state ?? 'text';
      // A sequence that ends here has no text in its last byte.
      if (state === undefined) out[length++] = byte;
    }
    return out.subarray(0, length);
  }

  /** The rest, after the last piece. */
  end(): Uint8Array {
    return this.#state === 'c1' ? Uint8Array.of(C1) : new Uint8Array();
  }
}

/** Undefined if the byte is text: outside of sequences, or because it cannot be part of the one that has begun. */
function stateAfter(state: AnsiState, byte: number): AnsiState | undefined {
  if (state === 'string') return inString(byte);
  if (state === 'escape-in-string' && byte === BACKSLASH) return 'text';
  if (byte === ESCAPE) return 'escape';
  switch (state) {
    case 'escape':
    case 'escape-in-string':
      return afterEscape(byte);
    case 'sequence':
      return byte >= 0x20 && byte <= 0x3f ? 'sequence' : isFinal(byte, 0x40) ? 'text' : asText(byte);
    case 'designation':
      return byte >= 0x20 && byte <= 0x2f ? 'designation' : isFinal(byte, 0x30) ? 'text' : asText(byte);
    case 'c1':
      return byte === C1_SEQUENCE ? 'sequence' : asText(byte);
    default:
      return asText(byte);
  }
}

function asText(byte: number): 'c1' | undefined {
  return byte === C1 ? 'c1' : undefined;
}

function isFinal(byte: number, first: number): boolean {
  return byte >= first && byte <= 0x7e;
}

const SEQUENCE_START = 0x5b;
/** `ESC ]`, `ESC P`, `ESC X`, `ESC ^` and `ESC _`. */
const STRING_STARTS = new Set([0x5d, 0x50, 0x58, 0x5e, 0x5f]);

function afterEscape(byte: number): AnsiState | undefined {
  if (byte === SEQUENCE_START) return 'sequence';
  if (STRING_STARTS.has(byte)) return 'string';
  if (byte >= 0x20 && byte <= 0x2f) return 'designation';
  return isFinal(byte, 0x30) ? 'text' : asText(byte);
}

function inString(byte: number): AnsiState | undefined {
  if (byte === BELL) return 'text';
  if (byte === ESCAPE) return 'escape-in-string';
  return byte === 0x0a ? undefined : 'string';
}
