// Removes expired targets, for flags and segments.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { finish, type DueHandler } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ExpiringTarget } from './expiring-target.ts';
import { deleteExpiringTarget, findExpiringTarget, lockTargetedResource } from './store.ts';

/** Runs in the transaction that deletes the expiry, so that both happen or neither. */
export type RemoveTarget = (tx: ChangeTransaction, target: ExpiringTarget) => Promise<void>;

/** Handles the due work of `expiryWork`. */
export function expireWith({ changes, clock }: Kernel, remove: RemoveTarget): DueHandler {
  return async (due) => {
    const now = clock.now();
    await changes.run(systemActor({ now }), async (tx) => {
      const { db } = tx;
      // The order of locks is the same everywhere: the flag or segment, its expiries, their due work.
      const seen = await findExpiringTarget(db, due.payload);
      if (seen !== undefined) await lockTargetedResource(db, seen);
      const target = seen && (await findExpiringTarget(db, due.payload));
      // The expiry may have been deleted or moved since; a moved one has other due work.
      if (target !== undefined && target.expiresAt <= now) {
        await deleteExpiringTarget(db, target);
        await remove(tx, target);
      }
      if (!(await finish(db, due))) throw new Failure('conflict', 'The work is no longer ours.');
    });
  };
}
