// Finds a receiver of the flag service's changes, or a delivery to it, and checks that the caller may see it.
import { unknownThing } from '../../flags/find-project.ts';
import { FLAGS_API, type Webhook } from '../../flags/webhooks/model.ts';
import { findReceiver } from '../../flags/webhooks/store.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findDelivery, type DeliveryWithAttempts } from '../../kernel/webhooks/store-deliveries.ts';
import { receiverResource, viewActionOf } from './model.ts';

type ReceiverCall = Pick<Call, 'requirePermission'>;

export async function openReceiver(call: ReceiverCall, db: Db, id: string): Promise<Webhook> {
  const receiver = await findReceiver(db, id);
  if (receiver === undefined) throw unknownThing('webhook', id);
  call.requirePermission(receiverResource(receiver), viewActionOf(receiver));
  return receiver;
}

/** Only of the flag service: the other APIs show their own. */
export async function openWebhookDelivery(
  call: ReceiverCall,
  db: Db,
  id: string,
): Promise<{ receiver: Webhook; delivery: DeliveryWithAttempts }> {
  const delivery = /^[0-9a-f]{24}$/.test(id) ? await findDelivery(db, { id }) : undefined;
  if (delivery?.api !== FLAGS_API) throw unknownThing('delivery', id);
  return { receiver: await openReceiver(call, db, delivery.hookId), delivery };
}
