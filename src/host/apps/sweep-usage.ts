// Forgets what calls apps and installations made under old versions, once they are gone.
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { deleteUsageOf, listUsageCallers } from '../../kernel/versions/usage/store.ts';
import { programId } from './program.ts';
import { listLivingApps } from './store.ts';
import { listLivingInstallations } from './store-installations.ts';

const HOUR = 60 * 60 * 1000;
const BATCH = 500;

/** Also what a node saved after the end of a program, and that of installations on accounts that ended. */
export function programUsageSweep({ db }: Pick<Kernel, 'db'>): RecurringWork {
  return {
    kind: 'host.sweep-program-usage',
    everyMs: HOUR,
    async run(signal) {
      for (const [kind, listLiving] of [
        ['app', listLivingApps],
        ['installation', listLivingInstallations],
      ] as const) {
        const prefix = programId(kind, '');
        for (let after = prefix; !signal.aborted;) {
          const found = await listUsageCallers(db, after, BATCH);
          const ids = found.map(({ caller }) => caller).filter((id) => id.startsWith(prefix));
          const numbers = ids.map((id) => Number(id.slice(prefix.length)));
          const living = numbers.length === 0 ? new Set() : await listLiving(db, numbers);
          await deleteUsageOf(
            db,
            ids.filter((_, index) => !living.has(numbers[index]!)),
          );
          if (ids.length < BATCH) break;
          after = ids.at(-1)!;
        }
      }
    },
  };
}
