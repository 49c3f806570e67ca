// Blobs are not deleted while a backup is made: its rows may refer to them.
import type { Clock } from '../clock.ts';
import { schedule, release, type DueHandler } from '../jobs/due-store.ts';
import type { BlobStore } from '../storage/blobs/blob.ts';
import type { Db } from '../storage/tables.ts';
import { BACKUP_LEASE_MS, isBackupOpen } from './backup-store.ts';

const DELETE_BLOB = 'blobs.delete';

interface Holding {
  db: Db;
  clock: Clock;
  /** Whether a sweep finds blobs with this key that nothing refers to. Others are deleted by work of their own. */
  isSwept(key: string): boolean;
}

/**
 * A row is deleted before its blob, so that a backup whose snapshot has the row has begun before this looks. Keys that a sweep
 * looks after may be used again, so that they are left to it.
 */
export function holdBlobs(blobs: BlobStore, { db, clock, isSwept }: Holding): BlobStore {
  return {
    ...blobs,
    async delete(key) {
      const now = clock.now();
      if (!(await isBackupOpen(db, now))) await blobs.delete(key);
      else if (!isSwept(key))
        await schedule(
          db,
          { id: `${DELETE_BLOB}:${key}`, kind: DELETE_BLOB, payload: key, dueAt: now + BACKUP_LEASE_MS },
          now,
        );
    },
  };
}

/** The work of deletions that had to wait. */
export function heldBlobWork({ blobs, db, clock }: { blobs: BlobStore; db: Db; clock: Clock }): {
  handlers: Record<string, DueHandler>;
} {
  const wait = waitForBackups({ db, clock });
  return {
    handlers: { [DELETE_BLOB]: wait(({ payload }) => blobs.delete(payload)) },
  };
}

/** Work that deletes what a backup may be reading: while one is made, it waits. */
export function waitForBackups({ db, clock }: { db: Db; clock: Clock }) {
  return (handle: DueHandler): DueHandler =>
    async (due, signal) => {
      const now = clock.now();
      if (await isBackupOpen(db, now)) await release(db, due, now + BACKUP_LEASE_MS);
      else await handle(due, signal);
    };
}
