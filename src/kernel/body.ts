// Reads a request's body: content encoding, size before and after inflation, and JSON.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Failure } from './failure.ts';
import { findJsonError } from './json-error.ts';

type Inflate = (data: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const INFLATERS = new Map<string, Inflate>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const ENCODINGS = ['br', 'gzip', 'deflate', 'identity'];

/** Reads the whole body, and stops at the limit: by the length that was announced, or by what came. */
export function collectBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length']) > limit) return Promise.reject(tooLarge(limit));
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else reject(tooLarge(limit));
  });
  request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  request.on('error', reject);
  return promise;
}

/** The limit holds for the inflated size too, and inflating stops there: a small bomb never grows large. */
export async function inflateBody(
  bytes: Buffer,
  encoding: string | undefined,
  limit: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return bytes;
  const inflater = INFLATERS.get(name);
  if (inflater === undefined) {
    throw new Failure(
      'unsupported-encoding',
      `The content encoding "${encoding}" is not supported. Use one of: ${ENCODINGS.join(', ')}.`,
    );
  }
  try {
    return await inflater(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new Failure('malformed', `The body is not valid ${encoding} data`);
  }
}

/** A body as it comes, up to the limit. When it is left early it stays open, so that an answer can still be sent. */
export async function* piecesOf(
  stream: Readable,
  limit: number,
  refuse = tooLarge,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false })) {
      size += (piece as Uint8Array).byteLength;
      if (size > limit) throw refuse(limit);
      yield piece as Uint8Array;
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('malformed', 'The caller went away before the body was there', { cause: error });
  }
}

export function tooLarge(limit: number): Failure {
  return new Failure('too-large', `The request body is too large: the limit is ${limit} bytes.`);
}

/** Deeper values than this overflow the stack of whoever walks them; no honest client sends any. */
const MOST_DEPTH = 200;

export function parseJson(bytes: Buffer): unknown {
  if (isTooDeep(bytes)) throw new Failure('malformed', `The JSON is nested deeper than ${MOST_DEPTH} levels`);
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(text);
  }
}

export const NOT_JSON = 'The request body is not valid JSON';

/** Looking for the place costs time, and a text that is longer was not written by hand. */
const MOST_SEARCHED = 1024 * 1024;

function notJson(text: string): Failure {
  const error = text.length > MOST_SEARCHED ? undefined : findJsonError(text);
  if (error === undefined) return new Failure('malformed', NOT_JSON);
  const { line, column, problem } = error;
  const where = `line ${line}, column ${column}: ${problem}`;
  const fields = [{ field: 'body', message: `is not valid JSON, ${where}` }];
  return new Failure('malformed', `${NOT_JSON}, ${where}`, { fields });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside strings, on the bytes: cheaper than walking what was parsed. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > MOST_DEPTH) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}
