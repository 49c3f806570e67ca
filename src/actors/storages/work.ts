// Behind the calls: empties storages that were deleted, and deletes unnamed ones that nobody uses any more.
import type { BackgroundWork } from '../../kernel/dialect.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import { CHANNEL } from './access.ts';
import type { StorageKind } from './model.ts';
import { PURGE, removeStorage } from './routes.ts';
import { findNextOwner, listUnused } from './store.ts';
import { DAY } from '../usage/model.ts';
import { findAccountRecord } from '../users/store.ts';

declare module '../../kernel/kernel.ts' {
  interface Settings {
    /** How long storages that nobody named are kept after their last use, unless their account says otherwise. */
    retentionMs: number;
  }
}

const HOUR = 60 * 60 * 1000;
const AT_ONCE = 100;

/** Removes all that a storage held, in pieces; called again from the start when it was interrupted. */
export type Purge = (kernel: Kernel, id: string, signal: AbortSignal) => Promise<void>;

export function storageWork(kernel: Kernel, purges: Record<StorageKind, Purge>): BackgroundWork {
  return {
    handlers: {
      async [PURGE]({ payload }, signal) {
        const { id, kind } = JSON.parse(payload) as { id: string; kind: StorageKind };
        await purges[kind](kernel, id, signal);
      },
    },
    recurring: [{ kind: 'storages.retention', everyMs: HOUR, run: (signal) => sweepUnused(kernel, signal) }],
  };
}

/** Account by account: each may keep what it has not named for another time. */
async function sweepUnused(kernel: Kernel, signal: AbortSignal): Promise<void> {
  const { db, settings } = kernel;
  let owner = await findNextOwner(db, '');
  while (owner !== undefined) {
    const days = (await findAccountRecord(db, owner))?.dataRetentionDays;
    await sweepAccount(kernel, owner, days == null ? settings.retentionMs : days * DAY, signal);
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
    const unused = await listUnused(db, userId, since, AT_ONCE);
    for (const storage of unused) {
      signal.throwIfAborted();
      await db.transaction().execute(async (tx) => {
        await removeStorage(tx, storage, clock.now(), since);
        await notifyOnCommit(tx, CHANNEL);
      });
    }
    if (unused.length < AT_ONCE) return;
  }
}
