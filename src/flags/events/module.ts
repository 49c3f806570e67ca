// Events of SDKs: their tables, and how long what they report is kept. Their routes are among those for SDKs.
import type { Module } from '../../kernel/http/module.ts';
import { flagEventMigrations } from '../migrations/flag-events.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { REMEMBERED_MS } from './event-buffer.ts';
import { deleteContextKinds } from './store.ts';
import {
  addUpHours,
  deleteEvaluations,
  deletePayloads,
  environmentExists,
  nextEvaluatedEnvironment,
} from './store-retention.ts';

export const flagEventModule: Module = {
  migrations: flagEventMigrations,
  work: (kernel) => ({ recurring: [payloadRetention(kernel), evaluationRetention(kernel)] }),
  close: ({ services }) => services.flagEvents.buffer.close(),
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Evaluations are kept per hour for two whole days, then per day. */
const KEPT_HOURS_MS = 2 * DAY;

export function payloadRetention({ db, clock }: Pick<Kernel, 'db' | 'clock'>): RecurringWork {
  return {
    kind: 'flags.event-payloads.sweep',
    everyMs: 5 * MINUTE,
    run: (signal) => deletePayloads(db, clock.now() - REMEMBERED_MS, signal),
  };
}

export function evaluationRetention({
  db,
  clock,
  settings,
}: Pick<Kernel, 'db' | 'clock' | 'settings'>): RecurringWork {
  return {
    kind: 'flags.evaluations.sweep',
    everyMs: HOUR,
    async run(signal) {
      await deleteContextKinds(db, clock.now());
      const keptMs = settings.retained.evaluations;
      const today = clock.now() - (clock.now() % DAY);
      let id = await nextEvaluatedEnvironment(db, '');
      while (id !== undefined && !signal.aborted) {
        const isGone = !(await environmentExists(db, id));
        await deleteEvaluations(db, id, isGone ? Infinity : today - keptMs, signal);
        if (!isGone) await addUpHours(db, id, today - KEPT_HOURS_MS, signal);
        id = await nextEvaluatedEnvironment(db, id);
      }
    },
  };
}
