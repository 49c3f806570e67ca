// Removes the webhooks of a repository or organization that is deleted, a while later, so that they hear of what happened last.
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { scheduleDeliveryRemoval } from '../../kernel/webhooks/store-removal.ts';
import { hookRefOf, type StoredHookTarget } from './hook.ts';
import { deleteHook, listHooks } from './store.ts';
import { deleteHookCursor } from './store-cursors.ts';

export const REMOVE_HOOKS = 'host.remove-hooks';
/** Long enough for the last deliveries. */
const DELAY_MS = 10 * 60 * 1000;
/** Hooks that are deleted in one transaction. */
const BATCH = 50;

/** In the transaction that deletes the repository or organization. */
export async function scheduleHookRemoval(tx: Db, target: StoredHookTarget, now: number): Promise<void> {
  const payload = JSON.stringify(target);
  const work = { id: `${REMOVE_HOOKS}:${payload}`, kind: REMOVE_HOOKS, payload };
  await schedule(tx, { ...work, dueAt: now + DELAY_MS }, now);
}

export function removeHooks({ db, clock }: Kernel): DueHandler {
  return async ({ payload }, signal) => {
    const target = JSON.parse(payload) as StoredHookTarget;
    for (;;) {
      signal.throwIfAborted();
      const hooks = await listHooks(db, target, { offset: 0, limit: BATCH });
      if (hooks.length === 0) break;
      await db.transaction().execute(async (tx) => {
        for (const hook of hooks) {
          await deleteHook(tx, hook.number);
          await scheduleDeliveryRemoval(tx, hookRefOf(hook), clock.now());
        }
      });
    }
    await deleteHookCursor(db, target);
  };
}
