// Writes a record from the request stream, a small content into the row and a large one into a blob; and deletes the records of deleted stores.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { collectBody, piecesOf } from '../../kernel/http/body/body.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { BlobStore } from '../../kernel/storage/blobs/blob.ts';
import type { BlobKind } from '../../kernel/storage/blobs/orphan-blobs.ts';
import type { Encoding } from './model.ts';
import {
  deleteRecord,
  replaceRecord,
  replaceSameRecord,
  type NewRecord,
  deleteRecordBatch,
  listRecordBatch,
  listReferencedBlobs,
} from './store.ts';
import { deleteStore } from './store-stats.ts';

declare module '../../kernel/kernel.ts' {
  interface Settings {
    /** The most bytes of one record. */
    recordBytes: number;
  }
}

/** Records up to this size are stored in the database: they share its commits instead of syncing a file each. */
const INLINE_BYTES = 64 * 1024;

/** The prefix of the blob keys of all records. */
const BLOB_PREFIX = 'kv/';

export interface Upload {
  contentType: string;
  encoding: Encoding | null;
  stream: IncomingMessage;
  /** The Content-Length, if there was one. */
  length: number | undefined;
  /** The ETag that the record must still have. */
  etag?: string | undefined;
}

/**
 * Every write has a blob of its own. The row refers to it once it is complete, and only then the old blob is deleted: a crash
 * at any point may leave a blob without a row, but never a row without its blob.
 */
export async function writeRecord(
  kernel: Kernel,
  storeId: string,
  key: string,
  { contentType, encoding, stream, length, etag }: Upload,
  now: number,
): Promise<void> {
  const { blobs } = kernel;
  const { recordBytes } = kernel.settings;
  if (length !== undefined && length > recordBytes) throw tooLarge(recordBytes);
  const head = { contentType, encoding, etag: randomUUID() };
  const write = (record: NewRecord) => commit(kernel, storeId, key, { record, etag }, now);
  if (length !== undefined && length <= INLINE_BYTES) {
    const bytes = await collectBody(stream, INLINE_BYTES);
    return await write({ ...head, size: bytes.length, body: join([bytes], bytes.length) });
  }
  const pieces = piecesOf(stream, recordBytes, tooLarge);
  const { start, size, isAll } = await readStart(pieces);
  if (isAll) return await write({ ...head, size, body: join(start, size) });
  const blob = `${BLOB_PREFIX}${storeId}/${head.etag}`;
  const put = await blobs.put(blob, chain(start, pieces));
  await write({ ...head, size: put.size, blob }).catch(async (error: unknown) => {
    await deleteBlob(kernel, blob);
    throw error;
  });
}

/** The content of a record that a transaction is about to insert. A large one is in a blob, which no row refers to before. */
export async function storeContent(
  { blobs, settings }: Kernel,
  storeId: string,
  { contentType, body }: { contentType: string; body: Uint8Array },
): Promise<NewRecord> {
  const size = body.byteLength;
  const head = { contentType, encoding: null, etag: randomUUID(), size };
  if (size <= INLINE_BYTES) return { ...head, body: join([body], size) };
  if (size > settings.recordBytes) throw tooLarge(settings.recordBytes);
  const blob = `${BLOB_PREFIX}${storeId}/${head.etag}`;
  await blobs.put(blob, body);
  return { ...head, blob };
}

/** After the transaction has failed. The answer of a commit may be lost, and then the record needs its content. */
export async function discardContent(kernel: Kernel, record: NewRecord): Promise<void> {
  if (!('blob' in record)) return;
  const { blob } = record;
  try {
    const referenced = await listReferencedBlobs(kernel.db, [blob]);
    if (!referenced.has(blob)) await kernel.blobs.delete(blob);
  } catch (error) {
    kernel.log.warn({ err: error, blob }, 'cannot delete a blob');
  }
}

export async function removeRecord(kernel: Kernel, storeId: string, key: string, now: number): Promise<void> {
  const blob = await deleteRecord(kernel.engine, storeId, key, now);
  if (blob !== undefined) await deleteBlob(kernel, blob);
}

async function commit(
  kernel: Kernel,
  storeId: string,
  key: string,
  { record, etag }: { record: NewRecord; etag: string | undefined },
  now: number,
): Promise<void> {
  const former =
    etag === undefined
      ? await replaceRecord(kernel.engine, storeId, key, record, now)
      : await replaceSameRecord(kernel.db, storeId, key, { record, etag }, now);
  if (former !== undefined) await deleteBlob(kernel, former);
}

/** The change is committed whether or not this succeeds; the orphan sweep deletes what is left. */
async function deleteBlob({ blobs, log }: Kernel, blob: string): Promise<void> {
  await blobs.delete(blob).catch((error: unknown) => log.warn({ err: error, blob }, 'cannot delete a blob'));
}

function tooLarge(limit: number): Failure {
  return new Failure('too-large', `The record is too large: the limit is ${limit} bytes.`, {
    code: 'record-too-large',
  });
}

/** Reads until it is known whether the content fits into the row. */
async function readStart(
  pieces: AsyncGenerator<Uint8Array, void>,
): Promise<{ start: Uint8Array[]; size: number; isAll: boolean }> {
  const start: Uint8Array[] = [];
  let size = 0;
  while (size <= INLINE_BYTES) {
    const { value, done } = await pieces.next();
    if (done) return { start, size, isAll: true };
    start.push(value);
    size += value.byteLength;
  }
  return { start, size, isAll: false };
}

async function* chain(
  start: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  yield* start;
  yield* rest;
}

/** Copies into a buffer of exact size: a view of a larger buffer would copy all of it to the storage thread. */
function join(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

const BATCH_SIZE = 200;

export const recordBlobs: BlobKind = {
  prefix: BLOB_PREFIX,
  migration: 'actors-key-value-stores',
  listReferenced: listReferencedBlobs,
};

/** Deletes blobs before the rows that refer to them: after an interruption the next run finds the rest. */
export async function purgeStore(kernel: Kernel, id: string, signal: AbortSignal): Promise<void> {
  const { db, blobs } = kernel;
  for (;;) {
    signal.throwIfAborted();
    const batch = await listRecordBatch(db, id, BATCH_SIZE);
    if (batch.length === 0) break;
    const known = batch.flatMap(({ blob }) => blob ?? []);
    await deleteBlobs(blobs, known);
    const keys = batch.map(({ key }) => key);
    const referenced = await deleteRecordBatch(db, id, keys);
    // A concurrent write may have replaced one of them.
    await deleteBlobs(
      blobs,
      referenced.filter((blob) => !known.includes(blob)),
    );
  }
  await deleteStore(db, id);
}

async function deleteBlobs(blobs: BlobStore, keys: string[]): Promise<void> {
  for (const key of keys) await blobs.delete(key);
}
