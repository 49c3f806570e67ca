// Due work of storages: deletes the contents of deleted ones, and deletes unnamed ones that are no longer used.
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import { retentionOf } from '../users/store.ts';
import { STORAGE_CHANNEL } from './access.ts';
import type { StorageKind } from './model.ts';
import { PURGE, removeStorage } from './routes.ts';
import { findNextOwner, listUnused } from './store.ts';

const HOUR = 60 * 60 * 1000;
const BATCH_SIZE = 100;

/** Deletes the contents of a storage in batches; after an interruption it is called again. */
export type Purge = (kernel: Kernel, id: string, signal: AbortSignal) => Promise<void>;

export function storageWork(kernel: Kernel, purges: ReadonlyMap<StorageKind, Purge>): BackgroundWork {
  return {
    handlers: {
      async [PURGE]({ payload }, signal) {
        const { id, kind } = JSON.parse(payload) as { id: string; kind: StorageKind };
        await purges.get(kind)!(kernel, id, signal);
      },
    },
    recurring: [{ kind: 'storages.retention', everyMs: HOUR, run: (signal) => sweepUnused(kernel, signal) }],
  };
}

/** Account by account, because each may have a retention of its own. */
async function sweepUnused(kernel: Kernel, signal: AbortSignal): Promise<void> {
  const { db } = kernel;
  let owner = await findNextOwner(db, '');
  while (owner !== undefined) {
    await sweepAccount(kernel, owner, await retentionOf(kernel, owner), signal);
    owner = await findNextOwner(db, owner);
  }
}

async function sweepAccount(
  kernel: Kernel,
  userId: string,
  retentionMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = kernel;
  for (;;) {
    const since = clock.now() - retentionMs;
    const unused = await listUnused(db, userId, since, BATCH_SIZE);
    for (const storage of unused) {
      signal.throwIfAborted();
      await db.transaction().execute(async (tx) => {
        await removeStorage(tx, storage, clock.now(), since);
        await notifyOnCommit(tx, STORAGE_CHANNEL);
      });
    }
    if (unused.length < BATCH_SIZE) return;
  }
}
