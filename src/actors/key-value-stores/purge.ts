// Deletes the records of deleted stores, and says which blobs belong to records.
import type { Kernel } from '../../kernel/kernel.ts';
import type { BlobStore } from '../../kernel/storage/blobs/blob.ts';
import type { BlobKind } from '../../kernel/storage/blobs/orphan-blobs.ts';
import { deleteRecordBatch, listRecordBatch, listReferencedBlobs } from './store.ts';
import { deleteStore } from './store-stats.ts';
import { BLOB_PREFIX } from './write-record.ts';

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
