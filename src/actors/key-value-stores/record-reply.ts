// Builds the replies with records: one as a whole or a range, as stored or decoded, or a redirect to object storage; or all as a ZIP archive.
import { pipeline, type Readable } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  readableFrom,
} from '../../kernel/network/streams.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes, reply, Stream, type Reply } from '../../kernel/http/route.ts';
import { isPassive, userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import { matchesEtag } from '../../kernel/http/reply/etag.ts';
import { parseRange } from '../../kernel/http/reply/byte-range.ts';
import { writeZip } from '../export/zip.ts';
import { acceptsEncoding, type Encoding, type KeyFilter } from './model.ts';
import { type RecordContent, type StoredRecord, listRecords } from './store.ts';

/** How long the presigned URL of a redirect is valid. */
const REDIRECT_SECONDS = 15 * 60;

interface RecordRequest {
  method: string;
  headers: Record<string, string | string[] | undefined>;
  /** Whether browsers save it as a file instead of showing it. */
  attachment: boolean;
}

/** Returns undefined when the content is gone: the record was replaced or deleted meanwhile. */
export async function replyWithRecord(
  kernel: Kernel,
  record: StoredRecord,
  request: RecordRequest,
): Promise<Reply | Bytes | Stream | undefined> {
  const { encoding, size } = record;
  const isAsStored = encoding === null || acceptsEncoding(textOf(request, 'accept-encoding'), encoding);
  const headers = headersOf(record, request, isAsStored);
  if (matchesEtag(textOf(request, 'if-none-match'), headers['etag']!)) return reply(304, undefined, headers);
  // No redirect: a presigned URL is valid for GET alone.
  if (request.method === 'HEAD') {
    return reply(200, undefined, isAsStored ? { ...headers, 'content-length': String(size) } : headers);
  }
  if (!isAsStored) return await replyDecoded(kernel, record, encoding, headers);
  const location = 'blob' in record ? presignedUrl(kernel, record, record.blob, request) : undefined;
  if (location !== undefined) return reply(302, undefined, { location, 'cache-control': 'no-store' });

  const ifRange = textOf(request, 'if-range');
  const isSame = ifRange === undefined || ifRange === headers['etag'];
  const range = isSame ? parseRange(textOf(request, 'range'), size) : undefined;
  if (range === 'beyond') {
    return reply(416, undefined, { 'content-range': `bytes */${size}`, 'content-length': '0' });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const status = range === undefined ? 200 : 206;
  if (range !== undefined) headers['content-range'] = `bytes ${start}-${end}/${size}`;
  if ('body' in record) return new Bytes(record.body.subarray(start, end + 1), headers, status);
  const blob = await kernel.blobs.get(record.blob, range);
  if (blob === undefined) return undefined;
  return new Stream(
    iterateStream(blob.stream()),
    { ...headers, 'content-length': String(end - start + 1) },
    status,
  );
}

/** The presigned URL of the blob, if it may be served from there: object storage sends no sandbox headers, so active content may not. */
function presignedUrl(
  { blobs }: Kernel,
  record: StoredRecord,
  blob: string,
  request: RecordRequest,
): string | undefined {
  const { contentType, encoding } = record;
  if (!request.attachment && !isPassive(contentType)) return undefined;
  return blobs.presign?.(blob, {
    expiresSeconds: REDIRECT_SECONDS,
    contentType,
    ...(encoding !== null && { contentEncoding: encoding }),
    ...(request.attachment && { disposition: `attachment; filename="${record.key}"` }),
  });
}

function headersOf(
  record: StoredRecord,
  { attachment }: RecordRequest,
  isAsStored: boolean,
): Record<string, string> {
  const { contentType, encoding, etag, updatedAt, key } = record;
  return {
    ...userContentHeaders(contentType, attachment ? key : undefined),
    // The decoded content is another representation, so it needs another ETag.
    etag: isAsStored ? `"${etag}"` : `"${etag}-decoded"`,
    'last-modified': new Date(updatedAt).toUTCString(),
    'cache-control': 'private, no-cache',
    'accept-ranges': isAsStored ? 'bytes' : 'none',
    ...(encoding !== null && { vary: 'Accept-Encoding' }),
    ...(encoding !== null && isAsStored && { 'content-encoding': encoding }),
  };
}

async function replyDecoded(
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
    // Invalid data shows with the first bytes, while an error status can still be sent.
    const first = await iterator.next();
    return new Stream(iterateStream(stream, iterator, first), headers);
  } catch (error) {
    throw new Failure(
      'not-acceptable',
      `The record is not valid ${encoding} data. Send "Accept-Encoding: ${encoding}" to get it as it is.`,
      { cause: error },
    );
  }
}

const DECODERS = { br: createBrotliDecompress, gzip: createGunzip, deflate: createInflate };

/** An error of either stream destroys the other, so that the reader gets it. */
function decode(content: Readable, encoding: Encoding): Readable {
  return pipeline(content, DECODERS[encoding](), () => undefined);
}

/** The decoded content. */
export async function plainContent(
  kernel: Pick<Kernel, 'blobs'>,
  record: RecordContent,
): Promise<Readable | undefined> {
  const content = await contentOf(kernel, record);
  return content === undefined || record.encoding === null ? content : decode(content, record.encoding);
}

async function contentOf(
  { blobs }: Pick<Kernel, 'blobs'>,
  record: RecordContent,
): Promise<Readable | undefined> {
  if ('body' in record) return readableFrom([record.body]);
  return (await blobs.get(record.blob))?.stream();
}

type Chunk = IteratorResult<Uint8Array, undefined>;

/** Iterates a stream whose first chunk may have been read already. `return` destroys the stream even when nothing was read. */
function iterateStream(
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

function textOf({ headers }: RecordRequest, name: string): string | undefined {
  return headers[name]?.toString();
}

/** Rows in memory at a time: each may hold a content of the largest inline size. */
const ARCHIVED_AT_ONCE = 20;

export function archiveRecords(
  kernel: Kernel,
  storeId: string,
  filter: KeyFilter,
): AsyncIterable<Uint8Array> {
  return writeZip(archivedFiles(kernel, storeId, filter));
}

async function* archivedFiles(kernel: Kernel, storeId: string, filter: KeyFilter) {
  let after: string | undefined;
  for (;;) {
    const records = await listRecords(kernel.db, storeId, { ...filter, after, limit: ARCHIVED_AT_ONCE });
    for (const record of records) {
      const content = await plainContent(kernel, record);
      if (content === undefined) continue; // replaced or deleted meanwhile
      try {
        yield { name: record.key, content };
      } finally {
        content.destroy(); // also when the reader never started
      }
    }
    if (records.length < ARCHIVED_AT_ONCE) return;
    after = records.at(-1)!.key;
  }
}
