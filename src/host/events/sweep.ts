// Deletes events that are older than feeds go back.
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { deleteEventsBefore } from './store-feeds.ts';

const HOUR = 60 * 60 * 1000;
const KEPT_MS = 90 * 24 * HOUR;
const BATCH_SIZE = 500;

export function eventSweep({ db, clock }: Kernel): RecurringWork {
  return {
    kind: 'host.sweep-events',
    everyMs: HOUR,
    async run(signal) {
      let deleted: number;
      do {
        deleted = await deleteEventsBefore(db, clock.now() - KEPT_MS, BATCH_SIZE);
      } while (deleted > 0 && !signal.aborted);
    },
  };
}
