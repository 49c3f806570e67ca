// Background work that deletes deliveries: after the deletion of a hook, and hourly those that finished long ago.
import type { BackgroundWork } from '../http/protocol.ts';
import type { Kernel } from '../kernel.ts';
import {
  deleteAllDeliveries,
  deleteOldDeliveries,
  deletePendingDeliveries,
  REMOVE_DELIVERIES,
  STOP_DELIVERIES,
} from './store-removal.ts';
import type { HookRef } from './tables.ts';

const HOUR = 60 * 60 * 1000;

export function webhookWork({ engine, clock }: Pick<Kernel, 'engine' | 'clock'>): BackgroundWork {
  return {
    handlers: {
      [REMOVE_DELIVERIES]: ({ payload }, signal) =>
        deleteAllDeliveries(engine, JSON.parse(payload) as HookRef, signal),
      [STOP_DELIVERIES]: ({ payload }, signal) =>
        deletePendingDeliveries(engine, JSON.parse(payload) as HookRef, signal),
    },
    recurring: [
      {
        kind: 'webhook.sweep',
        everyMs: HOUR,
        run: (signal) => deleteOldDeliveries(engine, clock.now(), signal),
      },
    ],
  };
}
