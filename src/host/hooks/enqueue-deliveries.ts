// Enqueues deliveries of webhooks, in the transaction of what causes them.
import { newId } from '../../kernel/id.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { enqueueDispatches } from '../../kernel/webhooks/store-dispatches.ts';
import type { HookDeliveryDetails } from './hook-delivery.ts';
import { hookRefOf, type Hook } from './hook.ts';

export interface HookDelivery extends HookDeliveryDetails {
  hook: Pick<Hook, 'number' | 'target'>;
  /** The same for all hooks that receive one event, and for redeliveries. */
  guid: string;
  /** The account or organization whose receivers it counts among. */
  ownerId: string;
  /** JSON, in whatever way it is sent. */
  body: string;
}

/** A delivery that could not be sent for this long is given up: its receiver hangs, and the queue is long. */
const EXPIRY_MS = 24 * 60 * 60 * 1000;

/** To be called at the end of the transaction, as it locks the hooks' queues until the commit. */
export async function enqueueHookDeliveries(
  tx: Db,
  deliveries: readonly HookDelivery[],
  now: number,
): Promise<void> {
  const outgoing = deliveries.map(({ hook, guid, ownerId, body, ...details }) => ({
    ...hookRefOf(hook),
    id: newId(now),
    eventId: guid,
    ownerId,
    body,
    details: JSON.stringify(details satisfies HookDeliveryDetails),
    expiresAt: now + EXPIRY_MS,
  }));
  if (outgoing.length > 0) await enqueueDispatches(tx, outgoing, [], now);
}
