// The rules of logs: how lines are stamped and split, how large a log may be, and the line that says how much was cut out.
import { isUtf8 } from 'node:buffer';

/** The size limit of a log. */
export const LOG_BYTES = 10_485_760;
/** A chunk that begins before this is kept for ever. */
export const HEAD_BYTES = LOG_BYTES / 2;
/** A longer line is split. */
export const LINE_BYTES = 32 * 1024;
/** How much is kept of the end. The head may be a line longer than its half, and each invalid byte becomes three. */
export const TAIL_BYTES = LOG_BYTES - HEAD_BYTES - 4 * LINE_BYTES;
/** The size of a stored chunk, give or take a line. */
export const CHUNK_BYTES = 128 * 1024;

const NEWLINE = 0x0a;

/** The length of a stamp. */
export const STAMP_BYTES = 25;

/** Clients find the beginnings of lines by this format. */
export function stampOf(now: number): string {
  return `${new Date(now).toISOString()} `;
}

export interface StampedLines {
  /** Valid UTF-8. */
  content: Uint8Array;
  /** The number of raw bytes that the content was made of. */
  consumed: number;
}

export interface StampOptions {
  stamp: string;
  /** Whether no more bytes will follow, so that a last line without a newline is complete. */
  isEnd: boolean;
  /** Stops before the line that would exceed it, but never before the first. */
  room: number;
}

/**
 * Stamps the complete lines at the beginning of `raw`. The result for a file does not depend on how it is divided into
 * calls, as long as each gets more than `LINE_BYTES`, or everything.
 */
export function stampLines(raw: Uint8Array, { stamp, isEnd, room }: StampOptions): StampedLines {
  const prefix = Buffer.from(stamp);
  const parts: Uint8Array[] = [];
  let consumed = 0;
  let size = 0;
  for (;;) {
    const line = firstLine(raw.subarray(consumed, consumed + LINE_BYTES + 1), isEnd);
    if (line === undefined) break;
    const text = toValidUtf8(line.bytes);
    const length = prefix.length + text.length + 1;
    if (size > 0 && size + length > room) break;
    parts.push(prefix, text, NEWLINE_BYTES);
    size += length;
    consumed += line.length;
  }
  return { content: Buffer.concat(parts, size), consumed };
}

const NEWLINE_BYTES = Uint8Array.of(NEWLINE);

interface RawLine {
  /** Without the newline. */
  bytes: Uint8Array;
  /** With it. */
  length: number;
}

function firstLine(raw: Uint8Array, isEnd: boolean): RawLine | undefined {
  const newline = raw.indexOf(NEWLINE);
  if (newline !== -1) return { bytes: raw.subarray(0, newline), length: newline + 1 };
  if (raw.length > LINE_BYTES) {
    const length = startOfCharacter(raw, LINE_BYTES);
    return { bytes: raw.subarray(0, length), length };
  }
  return isEnd && raw.length > 0 ? { bytes: raw, length: raw.length } : undefined;
}

/** The same position, or one of the three before it if it is inside a character. */
function startOfCharacter(raw: Uint8Array, position: number): number {
  for (let at = position; at > position - 4; at -= 1) {
    if ((raw[at]! & 0xc0) !== 0x80) return at;
  }
  return position;
}

/** Each invalid sequence becomes U+FFFD. */
function toValidUtf8(bytes: Uint8Array): Uint8Array {
  return isUtf8(bytes)
    ? bytes
    : Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
}

/** Where the first whole line at or after a random position begins; the position itself if the line is too long. */
export function startOfLine(raw: Uint8Array): number {
  const newline = raw.subarray(0, LINE_BYTES).indexOf(NEWLINE);
  return newline === -1 ? 0 : newline + 1;
}

/** Stands in place of what was cut out, and has the time of the line after it. */
export function cutNotice(bytes: number, after: Uint8Array): string {
  const stamp = Buffer.from(after.subarray(0, STAMP_BYTES)).toString();
  return `${stamp}ACTOR: ${bytes} bytes of the log are left out here, because it is longer than ${LOG_BYTES} bytes.\n`;
}

/** Splits whole lines into chunks of whole lines. */
export function* splitIntoChunks(lines: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < lines.length;) {
    const newline = lines.indexOf(NEWLINE, start + CHUNK_BYTES);
    const end = newline === -1 ? lines.length : newline + 1;
    yield lines.subarray(start, end);
    start = end;
  }
}
