// Takes in a record as it comes: what is small goes into the row, what is large through a blob of its own.
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { piecesOf } from '../../kernel/body.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Encoding } from './model.ts';
import { deleteRecord, replaceRecord, type NewRecord } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Settings {
    /** The most bytes of one record. */
    recordBytes: number;
  }
}

/** Records up to this size stand in the database: they share its commits instead of syncing a file each. */
const INLINE_BYTES = 64 * 1024;

/** What all blobs of records begin with. */
export const BLOB_PREFIX = 'kv/';

export interface Upload {
  contentType: string;
  encoding: Encoding | null;
  stream: Readable;
  /** As announced, where it was. */
  length: number | undefined;
}

/**
 * Every write has a blob of its own. Rows are switched to it once it is whole, and only then the former one goes: a crash
 * at any point leaves a blob that nobody names, never a row that names nothing.
 */
export async function writeRecord(
  kernel: Kernel,
  storeId: string,
  key: string,
  { contentType, encoding, stream, length }: Upload,
  now: number,
): Promise<void> {
  const { blobs } = kernel;
  const { recordBytes } = kernel.settings;
  if (length !== undefined && length > recordBytes) throw tooLarge(recordBytes);
  const pieces = piecesOf(stream, recordBytes, tooLarge);
  const head = { contentType, encoding, etag: randomUUID() };
  const { start, size, isAll } = await takeStart(pieces);
  if (isAll) return await commit(kernel, storeId, key, { ...head, size, body: join(start, size) }, now);
  const blob = `${BLOB_PREFIX}${storeId}/${head.etag}`;
  const put = await blobs.put(blob, chain(start, pieces));
  await commit(kernel, storeId, key, { ...head, size: put.size, blob }, now).catch(async (error: unknown) => {
    await dropBlob(kernel, blob);
    throw error;
  });
}

export async function removeRecord(kernel: Kernel, storeId: string, key: string, now: number): Promise<void> {
  const blob = await deleteRecord(kernel.engine, storeId, key, now);
  if (blob !== undefined) await dropBlob(kernel, blob);
}

async function commit(
  kernel: Kernel,
  storeId: string,
  key: string,
  record: NewRecord,
  now: number,
): Promise<void> {
  const former = await replaceRecord(kernel.engine, storeId, key, record, now);
  if (former !== undefined) await dropBlob(kernel, former);
}

/** The change is done whether or not this works; what stays behind is swept later. */
async function dropBlob({ blobs, log }: Kernel, blob: string): Promise<void> {
  await blobs.delete(blob).catch((error: unknown) => log.warn({ err: error, blob }, 'cannot delete a blob'));
}

function tooLarge(limit: number): Failure {
  return new Failure('too-large', `The record is too large: the limit is ${limit} bytes.`, {
    code: 'record-too-large',
  });
}

/** Reads until it is clear whether the record is a small one. */
async function takeStart(
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

/** In memory of its own and no larger: a piece of a larger buffer would take that along to the storage thread. */
function join(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
