// Gives out a record: whole or a part, as it was sent or decoded on the way, or by an address at the object storage.
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes, reply, Stream, type Reply } from '../../kernel/route.ts';
import { isPassive, userContentHeaders } from '../../kernel/user-content.ts';
import { admits, matches, readRange, type Encoding } from './model.ts';
import type { StoredRecord } from './store.ts';

/** How long the address of a record at the object storage is good. */
const REDIRECT_SECONDS = 15 * 60;

export interface Wish {
  method: string;
  headers: Record<string, string | string[] | undefined>;
  /** To be saved as a file rather than shown. */
  attachment: boolean;
}

/** The reply to a call for this record, or undefined when its content is gone: it was replaced or deleted meanwhile. */
export async function answerWith(
  kernel: Kernel,
  record: StoredRecord,
  wish: Wish,
): Promise<Reply | Bytes | Stream | undefined> {
  const { encoding, size } = record;
  const isAsSent = encoding === null || admits(textOf(wish, 'accept-encoding'), encoding);
  const headers = headersOf(record, wish, isAsSent);
  if (matches(textOf(wish, 'if-none-match'), headers['etag']!)) return reply(304, undefined, headers);
  // Never leads elsewhere: the address at the object storage is good for GET alone.
  if (wish.method === 'HEAD') {
    return reply(200, undefined, isAsSent ? { ...headers, 'content-length': String(size) } : headers);
  }
  if (!isAsSent) return await decoded(kernel, record, encoding, headers);
  const location = 'blob' in record ? addressOf(kernel, record, record.blob, wish) : undefined;
  if (location !== undefined) return reply(302, undefined, { location, 'cache-control': 'no-store' });

  const ifRange = textOf(wish, 'if-range');
  const isSame = ifRange === undefined || ifRange === headers['etag'];
  const range = isSame ? readRange(textOf(wish, 'range'), size) : undefined;
  if (range === 'beyond') {
    return reply(416, undefined, { 'content-range': `bytes */${size}`, 'content-length': '0' });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const status = range === undefined ? 200 : 206;
  if (range !== undefined) headers['content-range'] = `bytes ${start}-${end}/${size}`;
  if ('body' in record) return new Bytes(record.body.subarray(start, end + 1), headers, status);
  const blob = await kernel.blobs.get(record.blob, range);
  if (blob === undefined) return undefined;
  return new Stream(flow(blob.stream()), { ...headers, 'content-length': String(end - start + 1) }, status);
}

/** Where the object storage itself gives out the blob, if it does. It sends no sandbox: only what needs none goes there. */
function addressOf({ blobs }: Kernel, record: StoredRecord, blob: string, wish: Wish): string | undefined {
  const { contentType, encoding } = record;
  if (!wish.attachment && !isPassive(contentType)) return undefined;
  return blobs.presign?.(blob, {
    expiresSeconds: REDIRECT_SECONDS,
    contentType,
    ...(encoding !== null && { contentEncoding: encoding }),
    ...(wish.attachment && { disposition: `attachment; filename="${record.key}"` }),
  });
}

function headersOf(record: StoredRecord, { attachment }: Wish, isAsSent: boolean): Record<string, string> {
  const { contentType, encoding, etag, updatedAt, key } = record;
  return {
    ...userContentHeaders(contentType, attachment ? key : undefined),
    // Another content, so that it needs another mark.
    etag: isAsSent ? `"${etag}"` : `"${etag}-decoded"`,
    'last-modified': new Date(updatedAt).toUTCString(),
    'cache-control': 'private, no-cache',
    'accept-ranges': isAsSent ? 'bytes' : 'none',
    ...(encoding !== null && { vary: 'Accept-Encoding' }),
    ...(encoding !== null && isAsSent && { 'content-encoding': encoding }),
  };
}

async function decoded(
  kernel: Kernel,
  record: StoredRecord,
  encoding: Encoding,
  headers: Record<string, string>,
): Promise<Stream | undefined> {
  const content = await contentOf(kernel, record);
  if (content === undefined) return undefined;
  const stream = decode(content, encoding);
  const iterator = stream[Symbol.asyncIterator]();
  try {
    // What is no such encoding at all shows at once, while it can still be told.
    const first = await iterator.next();
    return new Stream(flow(stream, iterator, first), headers);
  } catch (error) {
    throw new Failure(
      'not-acceptable',
      `The record is not valid ${encoding} data. Send "Accept-Encoding: ${encoding}" to get it as it is.`,
      { cause: error },
    );
  }
}

const DECODERS = { br: createBrotliDecompress, gzip: createGunzip, deflate: createInflate };

/** A failure of either end destroys the other; whoever reads is told. */
function decode(content: Readable, encoding: Encoding): Readable {
  return pipeline(content, DECODERS[encoding](), () => undefined);
}

/** The content as it is meant, for who makes something else of it. */
export async function plainContent(kernel: Kernel, record: StoredRecord): Promise<Readable | undefined> {
  const content = await contentOf(kernel, record);
  return content === undefined || record.encoding === null ? content : decode(content, record.encoding);
}

async function contentOf({ blobs }: Kernel, record: StoredRecord): Promise<Readable | undefined> {
  if ('body' in record) return Readable.from([record.body], { objectMode: false });
  return (await blobs.get(record.blob))?.stream();
}

type Chunk = IteratorResult<Uint8Array, undefined>;

/** What a stream gives, with what was read of it already. Also who never begins to read it gives it up. */
function flow(
  stream: Readable,
  iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
  first?: Chunk,
): AsyncIterable<Uint8Array> {
  let ahead = first;
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const chunk = ahead ?? (await iterator.next());
        ahead = undefined;
        return chunk;
      },
      async return() {
        stream.destroy();
        return { value: undefined, done: true };
      },
    }),
  };
}

function textOf({ headers }: Wish, name: string): string | undefined {
  return headers[name]?.toString();
}
