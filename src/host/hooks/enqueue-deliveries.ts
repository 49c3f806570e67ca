// Enqueues deliveries of webhooks, in the transaction of what causes them.
import { newId } from '../../kernel/id.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { INDEPENDENT } from '../../kernel/webhooks/policy.ts';
import { enqueueDeliveries } from '../../kernel/webhooks/store-enqueue.ts';
import type { HookDeliveryDetails } from './delivery-model.ts';
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
  }));
  if (outgoing.length > 0) await enqueueDeliveries(tx, INDEPENDENT, outgoing, now);
}
