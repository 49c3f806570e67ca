// Finds and deletes the blobs that a crash has left without a row that refers to them.
import type { RecurringWork } from '../../http/protocol.ts';
import type { Kernel } from '../../kernel.ts';
import type { BlobStore } from './blob.ts';
import type { Db } from '../tables.ts';

const BATCH_SIZE = 200;
const DAY = 24 * 60 * 60 * 1000;
/** A blob is written before the row that refers to it: a younger one may still get its row. */
const ORPHAN_MS = 60 * 60 * 1000;

/** Blobs of one table, which have keys with a prefix of their own. */
export interface BlobKind {
  prefix: string;
  /** The name of the migration that creates the table. */
  migration: string;
  /** Returns those of the keys that a row refers to. */
  listReferenced(db: Db, keys: string[]): Promise<ReadonlySet<string>>;
}

export function orphanSweep(kernel: Kernel, kinds: readonly BlobKind[]): RecurringWork {
  return { kind: 'blobs.orphans', everyMs: DAY, run: (signal) => sweepOrphans(kernel, kinds, signal) };
}

async function sweepOrphans(
  { db, blobs, clock, log }: Kernel,
  kinds: readonly BlobKind[],
  signal: AbortSignal,
): Promise<void> {
  let count = 0;
  for await (const orphan of findOrphans(db, blobs, kinds, clock.now())) {
    signal.throwIfAborted();
    await blobs.delete(orphan);
    count += 1;
  }
  if (count > 0) log.info({ count }, 'deleted blobs that nothing refers to');
}

/** Keys of blobs of these kinds that no row refers to, and that no write in progress will refer to. All are listed once. */
export async function* findOrphans(
  db: Db,
  blobs: BlobStore,
  kinds: readonly BlobKind[],
  now: number,
): AsyncGenerator<string> {
  const batches = new Map(kinds.map((kind): [BlobKind, string[]] => [kind, []]));
  for await (const { key, modifiedAt } of blobs.list()) {
    if (modifiedAt > now - ORPHAN_MS) continue;
    const kind = kinds.find(({ prefix }) => key.startsWith(prefix));
    if (kind === undefined) continue;
    const batch = batches.get(kind)!;
    batch.push(key);
    if (batch.length === BATCH_SIZE) yield* listUnreferenced(db, kind, batch.splice(0));
  }
  for (const [kind, batch] of batches) yield* listUnreferenced(db, kind, batch);
}

async function* listUnreferenced(db: Db, kind: BlobKind, keys: string[]): AsyncGenerator<string> {
  if (keys.length === 0) return;
  const referenced = await kind.listReferenced(db, keys);
  yield* keys.filter((key) => !referenced.has(key));
}
