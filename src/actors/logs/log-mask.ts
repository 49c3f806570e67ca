// Masks what only the owner of a build may know in its log, for other readers of the log of a public Actor's build.
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
