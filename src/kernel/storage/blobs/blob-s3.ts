// Blobs in S3-compatible object storage: the same guarantees as for files, and presigned URLs for clients.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { systemClock, type Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { checksumOf, verifyBlob, BLOB_PART_BYTES } from './blob-checksum.ts';
import type { BlobStore, StoredBlob } from './blob.ts';
import { S3Client, tagOf, type S3Settings } from './s3-client.ts';

/** The object storage verifies this checksum on upload and returns it with the object. Not every implementation does. */
const CHECKSUM = 'x-amz-checksum-sha256';
const FIRST_BYTES = 128 * 1024;
const HASH_BYTES = 1024 * 1024;
/** An upload in parts that is still unfinished after this long was left behind by a crash. */
const STALE_MS = 24 * 60 * 60 * 1000;
/** The longest object name of S3. */
const NAME_BYTES = 1024;

export async function openS3Blobs(settings: S3Settings, clock: Clock = systemClock): Promise<BlobStore> {
  const { prefix, bucket, endpoint, redirects } = settings;
  const client = new S3Client(settings, clock);
  const nameOf = (key: string) => objectName(prefix, key);

  if ((await client.text({ method: 'HEAD' })) === undefined) {
    throw new Failure(
      'unavailable',
      `There is no bucket "${bucket}" at ${endpoint}: create it, or correct --blobs.`,
    );
  }
  // Keys may allow storing objects but not listing uploads; then the bucket's lifecycle rules must remove stale ones.
  await abortStale(client, prefix, clock.now() - STALE_MS).catch(() => {});

  return {
    async put(key, data) {
      const name = nameOf(key);
      const parts = partsOf(data);
      const first = (await parts.next()).value!;
      if (!first.isLast) return { size: await putInParts(client, name, first, parts) };
      const headers = { [CHECKSUM]: checksumOf([first.hash]) };
      await client.text({ method: 'PUT', name, headers, body: first.bytes, bodyHash: hexOf(first) });
      return { size: first.bytes.length };
    },

    async get(key, range) {
      const headers: Record<string, string> =
        range === undefined
          ? { 'x-amz-checksum-mode': 'ENABLED' }
          : { range: `bytes=${range.start}-${range.end}` };
      const response = await client.call({ method: 'GET', name: nameOf(key), headers });
      const checksum = range === undefined ? response.headers[CHECKSUM]?.toString() : undefined;
      if (response.statusCode !== 404) {
        return checksum === undefined ? blobOf(response) : await verifyBlob(blobOf(response), key, checksum);
      }
      response.resume();
      return undefined;
    },

    async has(key) {
      return (await client.text({ method: 'HEAD', name: nameOf(key) })) !== undefined;
    },

    async delete(key) {
      await client.text({ method: 'DELETE', name: nameOf(key) });
    },

    async *list(wanted = '') {
      // The prefix up to the first character that an object name escapes.
      const start = prefix + /^[A-Za-z0-9/_-]*/.exec(wanted)![0];
      for await (const object of listAll(client, { 'list-type': '2', prefix: start }, 'Contents')) {
        const key = keyOf(decodeURIComponent(object('Key')).slice(prefix.length));
        if (key?.startsWith(wanted)) yield { key, modifiedAt: Date.parse(object('LastModified')) };
      }
    },

    ...(redirects &&
      ({
        presign(key, { expiresSeconds, contentType, contentEncoding, disposition }) {
          const query = {
            'response-content-type': contentType,
            ...(contentEncoding !== undefined && { 'response-content-encoding': contentEncoding }),
            ...(disposition !== undefined && { 'response-content-disposition': disposition }),
          };
          return client.presign(nameOf(key), query, expiresSeconds);
        },
      } satisfies Pick<BlobStore, 'presign'>)),
  };
}

/**
 * Plain keys stay readable. Other characters are escaped twice, as in JSON and then as in URLs: every key has a name of its
 * own, and none that URL normalisation would shorten (`..`).
 */
function objectName(prefix: string, key: string): string {
  const plain = JSON.stringify(key).slice(1, -1);
  const segments = plain.split('/').map((segment) => {
    const escaped = encodeURIComponent(segment);
    return /^\.+$/.test(escaped) ? escaped.replaceAll('.', '%2E') : escaped;
  });
  const name = prefix + segments.join('/');
  if (key === '' || Buffer.byteLength(name) > NAME_BYTES) {
    throw new Failure('invalid', 'The key of a blob in object storage must be neither empty nor that long.');
  }
  return name;
}

/** Undefined for an object that this program did not write. */
function keyOf(name: string): string | undefined {
  try {
    return JSON.parse(`"${decodeURIComponent(name)}"`) as string;
  } catch {
    return undefined;
  }
}

interface Part {
  bytes: Uint8Array;
  hash: Buffer;
  isLast: boolean;
}

/** At least one part, all but the last full. A part is valid until the next is requested, which reuses its memory. */
async function* partsOf(data: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Part, undefined> {
  let room = Buffer.allocUnsafe(FIRST_BYTES);
  let size = 0;
  // Hashed as the data arrives: hashing a whole part at once would block the event loop.
  let hash = createHash('sha256');
  const take = (isLast: boolean): Part => ({
    bytes: room.subarray(0, size),
    hash: hash.digest(),
    isLast,
  });
  for await (const chunk of data instanceof Uint8Array ? [data] : data) {
    for (let at = 0; at < chunk.length;) {
      if (size === BLOB_PART_BYTES) {
        yield take(false);
        [size, hash] = [0, createHash('sha256')];
      }
      const piece = chunk.subarray(at, at + Math.min(HASH_BYTES, BLOB_PART_BYTES - size));
      if (size + piece.length > room.length) room = grow(room, size, size + piece.length);
      room.set(piece, size);
      hash.update(piece);
      size += piece.length;
      at += piece.length;
    }
  }
  yield take(true);
}

function hexOf({ hash }: Part): string {
  return hash.toString('hex');
}

function grow(room: Buffer, used: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.min(BLOB_PART_BYTES, Math.max(needed, room.length * 4)));
  room.copy(larger, 0, 0, used);
  return larger;
}

/** The object appears with the last step; a failure before it leaves nothing behind. */
async function putInParts(
  client: S3Client,
  name: string,
  first: Part,
  rest: AsyncIterable<Part>,
): Promise<number> {
  const headers = { 'x-amz-checksum-algorithm': 'SHA256' };
  const begun = await client.text({ method: 'POST', name, query: { uploads: '' }, headers });
  const uploadId = tagOf(begun ?? '', 'UploadId');
  if (uploadId === undefined) throw refused(begun);
  try {
    const sent: SentPart[] = [];
    let size = 0;
    const send = async (part: Part) => {
      const { bytes } = part;
      const query = { partNumber: String(sent.length + 1), uploadId };
      const checksum = checksumOf([part.hash]);
      const response = await client.call({
        method: 'PUT',
        name,
        query,
        headers: { [CHECKSUM]: checksum },
        body: bytes,
        bodyHash: hexOf(part),
      });
      const body = await text(response);
      const { etag: tag } = response.headers;
      if (tag === undefined) throw refused(body);
      sent.push({ tag, checksum });
      size += bytes.length;
    };
    await send(first);
    for await (const part of rest) await send(part);
    await finishParts(client, name, uploadId, sent);
    return size;
  } catch (error) {
    await client.text({ method: 'DELETE', name, query: { uploadId } }).catch(() => {});
    throw error;
  }
}

interface SentPart {
  tag: string;
  checksum: string;
}

async function finishParts(
  client: S3Client,
  name: string,
  uploadId: string,
  sent: readonly SentPart[],
): Promise<void> {
  const list = sent.map(
    ({ tag, checksum }, at) =>
      `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const done = await client.text({ method: 'POST', name, query: { uploadId }, body, bodyHash });
  // S3 may answer with status 200 and an error in the body.
  if (done === undefined || done.includes('<Error>')) throw refused(done);
}

function refused(body: string | undefined): Failure {
  const code = tagOf(body ?? '', 'Code') ?? 'no answer that makes sense';
  return new Failure('unavailable', `The object storage did not take an upload (${code}); try again.`);
}

function blobOf(response: IncomingMessage): StoredBlob {
  const { headers } = response;
  const whole = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  return {
    size: Number(whole ?? headers['content-length']),
    stream: () => response,
    close: async () => void response.destroy(),
  };
}

async function abortStale(client: S3Client, prefix: string, before: number): Promise<void> {
  for await (const upload of listAll(client, { uploads: '', prefix }, 'Upload')) {
    if (Date.parse(upload('Initiated')) > before) continue;
    const query = { uploadId: upload('UploadId') };
    await client.text({ method: 'DELETE', name: decodeURIComponent(upload('Key')), query });
  }
}

/** All elements of a paged list, as functions that return the text of a member by its name. */
async function* listAll(
  client: S3Client,
  query: Record<string, string>,
  element: 'Contents' | 'Upload',
): AsyncGenerator<(name: string) => string> {
  let next: Record<string, string> = {};
  for (;;) {
    const page = await client.text({ method: 'GET', query: { ...query, 'encoding-type': 'url', ...next } });
    if (page === undefined) return;
    for (const [, inner = ''] of page.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))) {
      yield (name) => tagOf(inner, name) ?? '';
    }
    if (tagOf(page, 'IsTruncated') !== 'true') return;
    next =
      element === 'Contents'
        ? { 'continuation-token': tagOf(page, 'NextContinuationToken') ?? '' }
        : {
            'key-marker': decodeURIComponent(tagOf(page, 'NextKeyMarker') ?? ''),
            'upload-id-marker': tagOf(page, 'NextUploadIdMarker') ?? '',
          };
  }
}
