// Deletes usage of old versions that is out of date, and that of callers who are gone.
import type { RecurringWork } from '../../http/protocol.ts';
import type { Kernel } from '../../kernel.ts';
import { deleteUsageBefore, deleteUsageOf, listGoneCallers, listUsageCallers } from './store.ts';

const HOUR = 60 * 60 * 1000;
export const USAGE_RETENTION_DAYS = 90;
const BATCH = 500;

export function versionUsageSweep({ db, clock }: Pick<Kernel, 'db' | 'clock'>): RecurringWork {
  return {
    kind: 'version-usage.sweep',
    everyMs: HOUR,
    async run(signal) {
      const before = clock.now() - USAGE_RETENTION_DAYS * 24 * HOUR;
      while (!signal.aborted && (await deleteUsageBefore(db, before, BATCH)) === BATCH);
      for (let after = ''; !signal.aborted;) {
        const callers = await listUsageCallers(db, after, BATCH);
        const last = callers.at(-1);
        if (last === undefined) return;
        await deleteUsageOf(db, await listGoneCallers(db, callers));
        after = last.caller;
      }
    },
  };
}
