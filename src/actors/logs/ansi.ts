// Removes ANSI escape sequences from a stream of UTF-8 bytes, also those that are split between two pieces.

const ESCAPE = 0x1b;
const BELL = 0x07;
const BACKSLASH = 0x5c;
/** The first byte of the C1 controls in UTF-8; the second one of the control that is the same as `ESC [`. */
const C1 = 0xc2;
const C1_SEQUENCE = 0x9b;

/** Where the next byte belongs. */
type State =
  | 'text'
  | 'escape'
  | 'sequence' // after `ESC [`, up to a final byte
  | 'string' // after `ESC ]` and the like, up to BEL or `ESC \`
  | 'escape-in-string'
  | 'designation' // such as `ESC ( B`
  | 'c1';

/** One pass, with a state of constant size. A sequence that is not complete ends with its line at the latest. */
export class AnsiStripper {
  #state: State = 'text';

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
function stateAfter(state: State, byte: number): State | undefined {
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

function afterEscape(byte: number): State | undefined {
  if (byte === SEQUENCE_START) return 'sequence';
  if (STRING_STARTS.has(byte)) return 'string';
  if (byte >= 0x20 && byte <= 0x2f) return 'designation';
  return isFinal(byte, 0x30) ? 'text' : asText(byte);
}

function inString(byte: number): State | undefined {
  if (byte === BELL) return 'text';
  if (byte === ESCAPE) return 'escape-in-string';
  return byte === 0x0a ? undefined : 'string';
}
