// Deletes the records of deleted stores, and the blobs that a crash has left without a record.
import type { RecurringWork } from '../../kernel/dialect.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { BlobStore } from '../../kernel/storage/blob.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { deleteRecordBatch, deleteStore, listRecordBatch, listReferencedBlobs } from './store.ts';
import { BLOB_PREFIX } from './write-record.ts';

const BATCH_SIZE = 200;
const DAY = 24 * 60 * 60 * 1000;
/** A blob is written before the row that refers to it: a younger one may still get its row. */
const ORPHAN_MS = 60 * 60 * 1000;

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

export function orphanSweep(kernel: Kernel): RecurringWork {
  return { kind: 'key-value-stores.orphans', everyMs: DAY, run: (signal) => sweepOrphans(kernel, signal) };
}

async function sweepOrphans(kernel: Kernel, signal: AbortSignal): Promise<void> {
  const { db, blobs, clock, log } = kernel;
  let count = 0;
  for await (const orphan of findOrphans(db, blobs, clock.now())) {
    signal.throwIfAborted();
    await blobs.delete(orphan);
    count += 1;
  }
  if (count > 0) log.info({ count }, 'deleted blobs that no record names');
}

/** Keys of blobs that no record refers to, and that no write in progress will refer to. */
export async function* findOrphans(db: Db, blobs: BlobStore, now: number): AsyncGenerator<string> {
  let batch: string[] = [];
  for await (const { key, modifiedAt } of blobs.list(BLOB_PREFIX)) {
    if (modifiedAt > now - ORPHAN_MS) continue;
    batch.push(key);
    if (batch.length < BATCH_SIZE) continue;
    yield* listUnreferenced(db, batch);
    batch = [];
  }
  yield* listUnreferenced(db, batch);
}

async function* listUnreferenced(db: Db, blobs: string[]): AsyncGenerator<string> {
  if (blobs.length === 0) return;
  const referenced = await listReferencedBlobs(db, blobs);
  yield* blobs.filter((blob) => !referenced.has(blob));
}

async function deleteBlobs(blobs: BlobStore, keys: string[]): Promise<void> {
  for (const key of keys) await blobs.delete(key);
}
