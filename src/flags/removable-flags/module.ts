// Looks every hour for flags that are ready to be removed, so that lists and the page of what needs attention find them by an index.
import type { Module } from '../../kernel/http/module.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { removableFlagMigrations } from '../migrations/removable-flags.ts';
import { readyToRemoveSince, SETTLED_MS } from './rule.ts';
import { listOldFlags, readRemovalFacts, replaceRemovable } from './store.ts';

const HOUR = 60 * 60 * 1000;
const BATCH = 50;

export const removableFlagModule: Module = {
  migrations: removableFlagMigrations,
  work: (kernel) => ({ recurring: [removalSweep(kernel)] }),
};

export function removalSweep({ db, clock }: Pick<Kernel, 'db' | 'clock'>): RecurringWork {
  return {
    kind: 'flags.removable-flags.sweep',
    everyMs: HOUR,
    async run(signal) {
      const now = clock.now();
      for (let after: string | undefined = ''; after !== undefined && !signal.aborted;) {
        const range: string = after;
        const { flags, last } = await listOldFlags(db, {
          after: range,
          createdBefore: now - SETTLED_MS,
          limit: BATCH,
        });
        const facts = await readRemovalFacts(db, flags);
        const ready = flags.flatMap(({ id, projectId }) => {
          const since = readyToRemoveSince(facts.get(id)!, now);
          return since === undefined ? [] : [{ flagId: id, projectId, since }];
        });
        await db.transaction().execute((tx) => replaceRemovable(tx, { after: range, upTo: last }, ready));
        after = last;
      }
    },
  };
}
