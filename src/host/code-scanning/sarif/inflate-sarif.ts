// Inflates and parses an upload, with limits on its size and depth.
import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { Failure } from '../../../kernel/failure.ts';
import { findJsonError } from '../../../kernel/json/json-error.ts';
import { MAX_INFLATED_BYTES, MAX_SARIF_DEPTH } from './sarif-limits.ts';

/** Throws `invalid` with what to do about it. */
export function parseUpload(gzip: Uint8Array): unknown {
  const bytes = withoutMark(inflate(gzip));
  if (isGzip(bytes)) throw refused('The document is compressed twice. Compress it once with gzip.');
  if (!isUtf8(bytes)) throw refused('The document is not UTF-8 text. Write it as UTF-8.');
  if (depthOf(bytes) > MAX_SARIF_DEPTH)
    throw refused(`The document is nested deeper than ${MAX_SARIF_DEPTH} levels.`);
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    const { line, column, problem } = findJsonError(text) ?? {
      line: 1,
      column: 1,
      problem: 'it cannot be read',
    };
    throw refused(`The document is not JSON: line ${line}, column ${column}: ${problem}.`);
  }
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function inflate(gzip: Uint8Array): Buffer {
  try {
    return gunzipSync(gzip, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw refused(
        `The document has more than ${MAX_INFLATED_BYTES} bytes. Split it into uploads with a category each.`,
      );
    throw refused(`The document cannot be inflated: ${message}. Compress it with gzip again.`);
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Of brackets outside of strings. Parsing would survive any depth, but not everything after it would. */
function depthOf(bytes: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) deepest = Math.max(deepest, (depth += 1));
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return deepest;
}

function refused(message: string): Failure {
  return new Failure('invalid', message);
}
