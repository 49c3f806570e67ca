// Removes targets when their time has come.
import { systemActor } from '../../kernel/change/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { finish, type DueHandler } from '../../kernel/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ExpiringTarget } from './expiring-target.ts';
import { deleteExpiringTarget, findExpiringTarget, holdTargeted } from './store.ts';

/** In the transaction in which its date is forgotten, so that both happen or neither. */
export type RemoveTarget = (on: ChangeTransaction, target: ExpiringTarget) => Promise<void>;

/** For the work of `expiryWork`. */
export function expireWith({ changes, clock }: Kernel, remove: RemoveTarget): DueHandler {
  return async (due) => {
    const now = clock.now();
    await changes.run(systemActor({ now }), async (on) => {
      const { db: tx } = on;
      // The flag or segment is held before its dates, and these before their work, as by everyone who changes dates.
      const seen = await findExpiringTarget(tx, due.payload);
      if (seen !== undefined) await holdTargeted(tx, seen);
      const target = seen && (await findExpiringTarget(tx, due.payload));
      // It may have been taken back or put off; then other work waits for it.
      if (target !== undefined && target.expiresAt <= now) {
        await deleteExpiringTarget(tx, target);
        await remove(on, target);
      }
      if (!(await finish(tx, due))) throw new Failure('conflict', 'The work is no longer ours.');
    });
  };
}
