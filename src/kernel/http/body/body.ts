// Reads a request's body: decodes the content encoding, and limits the size before and after.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { HeldBody } from './body-memory.ts';
import { Failure } from '../../failure.ts';
import { guarded } from '../../network/streams.ts';

type Inflate = (data: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const INFLATERS = new Map<string, Inflate>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const ENCODINGS = ['br', 'gzip', 'deflate', 'identity'];

/** Reads the whole body, and fails at the limit: by Content-Length, or by the bytes that arrived. These count in `held`, which a limit of some kilobytes does without. */
export function collectBody(request: IncomingMessage, limit: number, held?: HeldBody): Promise<Buffer> {
  if (Number(request.headers['content-length']) > limit) return Promise.reject(tooLarge(limit));
  // Without headers of a body it has ended before, and emits nothing.
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0));
  // It would neither end nor fail any more.
  if (request.destroyed) return Promise.reject(callerGone());
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  let hasFailed = false;
  const collect = (chunk: Buffer): void => {
    if (hasFailed) return;
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    held?.add(chunk.length);
    chunks.push(chunk);
  };
  // The rest is read and discarded, so that the client comes to the answer.
  const fail = (error: Error): void => {
    hasFailed = true;
    chunks.length = 0;
    held?.close();
    reject(error);
  };
  request.on('data', guarded(collect, fail));
  request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  request.on('error', reject);
  return promise;
}

/** The limit holds for the inflated size too, and inflating stops there: against decompression bombs. */
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

/** The chunks of a body as they arrive, up to the limit. Leaving the loop early keeps the connection open for the answer. */
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
    throw callerGone(error);
  }
}

function callerGone(cause?: unknown): Failure {
  return new Failure('malformed', 'The caller went away before the body was there', { cause });
}

export function tooLarge(limit: number): Failure {
  return new Failure('too-large', `The request body is too large: the limit is ${limit} bytes.`);
}
