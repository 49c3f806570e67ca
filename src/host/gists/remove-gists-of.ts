// Removes the gists of a member who was removed: in the background, some in each transaction, because there may be many.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { DueHandler } from '../../kernel/jobs/due-store.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { scheduleGistDeletion } from './change-gist.ts';
import { auditedGist, gistChange } from './record-change.ts';
import { listSomeGistNumbersOf, lockGist, markGistDeleted } from './store.ts';
import { DELETE_GISTS_OF } from './store-writes.ts';

const AT_ONCE = 20;

/** After a crash it goes on with those that are left. */
export function removeGistsOfHandler({ db, changes, clock }: Kernel): DueHandler {
  return async ({ payload }) => {
    const { ownerId } = JSON.parse(payload) as { ownerId: string };
    if ((await findAccount(db, { id: ownerId })) !== undefined) return;
    for (;;) {
      const numbers = await listSomeGistNumbersOf(db, ownerId, AT_ONCE);
      if (numbers.length === 0) return;
      const now = clock.now();
      await changes.run(systemActor({ now, id: DELETE_GISTS_OF }), async (tx) => {
        // In one order for all, so that two transactions do not wait for each other.
        for (const number of numbers.toSorted((a, b) => a - b)) {
          const gist = await lockGist(tx.db, number);
          if (gist === undefined || gist.ownerId !== ownerId) continue;
          await markGistDeleted(tx.db, number, now);
          await scheduleGistDeletion(tx.db, number, now, now);
          const owner = { login: `removed-${ownerId}` };
          tx.record({ ...gistChange('deleteGist', 'deleted', { gist, owner }), before: auditedGist(gist) });
        }
      });
    }
  };
}
