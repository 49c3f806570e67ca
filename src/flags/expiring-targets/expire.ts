// Removes expired targets, for flags and segments.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { executeDue } from '../planned-changes/execute-due.ts';
import type { ExpiringTarget } from './model.ts';
import { deleteExpiringTarget, findExpiringTarget } from './store.ts';

/** Handles the due work of `expiryWork`. Both functions run in the transaction that deletes the expiry. */
export function expireWith<Resource>(
  kernel: Kernel,
  lockResource: (tx: Db, expiring: ExpiringTarget) => Promise<Resource | undefined>,
  removeTarget: (tx: ChangeTransaction, expiring: ExpiringTarget, resource: Resource) => Promise<void>,
): DueHandler {
  return executeDue<ExpiringTarget, Resource>(kernel, {
    find: findExpiringTarget,
    lockTarget: lockResource,
    // A date that was moved has other due work.
    isWaiting: ({ expiresAt }, now) => expiresAt <= now,
    async apply(tx, expiring, resource) {
      await deleteExpiringTarget(tx.db, expiring);
      await removeTarget(tx, expiring, resource);
    },
  });
}
