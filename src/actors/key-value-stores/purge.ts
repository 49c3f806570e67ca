// Empties deleted stores, and finds blobs that a crash has left without a record.
import type { RecurringWork } from '../../kernel/dialect.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { BlobStore } from '../../kernel/storage/blob.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { deleteSome, deleteStore, listSome, namedBlobs } from './store.ts';
import { BLOB_PREFIX } from './write.ts';

const AT_ONCE = 200;
const DAY = 24 * 60 * 60 * 1000;
/** A blob is there before the row that names it: younger ones may be on their way. */
const ORPHAN_MS = 60 * 60 * 1000;

/** Blobs go before the rows that name them: when this is cut short, the next try finds what is left. */
export async function purgeStore(kernel: Kernel, id: string, signal: AbortSignal): Promise<void> {
  const { db, blobs } = kernel;
  for (;;) {
    signal.throwIfAborted();
    const some = await listSome(db, id, AT_ONCE);
    if (some.length === 0) break;
    const known = some.flatMap(({ blob }) => blob ?? []);
    await deleteBlobs(blobs, known);
    const keys = some.map(({ key }) => key);
    const named = await deleteSome(db, id, keys);
    // A write that was under way may have replaced one meanwhile.
    await deleteBlobs(
      blobs,
      named.filter((blob) => !known.includes(blob)),
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

/** Keys of blobs that no record names, and that no write is about to name. */
export async function* findOrphans(db: Db, blobs: BlobStore, now: number): AsyncGenerator<string> {
  let some: string[] = [];
  for await (const { key, modifiedAt } of blobs.list(BLOB_PREFIX)) {
    if (modifiedAt > now - ORPHAN_MS) continue;
    some.push(key);
    if (some.length < AT_ONCE) continue;
    yield* unnamed(db, some);
    some = [];
  }
  yield* unnamed(db, some);
}

async function* unnamed(db: Db, blobs: string[]): AsyncGenerator<string> {
  if (blobs.length === 0) return;
  const named = await namedBlobs(db, blobs);
  yield* blobs.filter((blob) => !named.has(blob));
}

async function deleteBlobs(blobs: BlobStore, keys: string[]): Promise<void> {
  for (const key of keys) await blobs.delete(key);
}
