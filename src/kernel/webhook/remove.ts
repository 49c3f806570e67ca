// The work that removes deliveries: behind a hook's deletion, and every hour those that finished long ago.
import type { Work } from '../dialect.ts';
import type { Kernel } from '../kernel.ts';
import { DROP, type HookName } from './store-deliveries.ts';
import { dropAll, sweepDeliveries } from './store-removal.ts';

const HOUR = 60 * 60 * 1000;

export function webhookWork({ engine, clock }: Pick<Kernel, 'engine' | 'clock'>): Work {
  return {
    handlers: {
      [DROP]: ({ payload }, signal) => dropAll(engine, JSON.parse(payload) as HookName, signal),
    },
    recurring: [
      { kind: 'webhook.sweep', everyMs: HOUR, run: (signal) => sweepDeliveries(engine, clock.now(), signal) },
    ],
  };
}
