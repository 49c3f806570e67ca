// Sends a dispatch of an Actor webhook again.
import { openWebhook } from '../../actors/webhooks/access.ts';
import {
  ACTORS_API,
  dispatchNotFound,
  ShownDispatch,
  toShownDispatch,
} from '../../actors/webhooks/dispatch-model.ts';
import { reopenLastDispatch } from '../../actors/webhooks/store.ts';
import { route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { INDEPENDENT } from '../../kernel/webhooks/policy.ts';
import { findDelivery } from '../../kernel/webhooks/store-deliveries.ts';
import { redeliver } from '../../kernel/webhooks/store-enqueue.ts';

const redeliverDispatch = route(
  {
    id: 'redeliverWebhookDispatch',
    method: 'POST',
    path: '/webhook-dispatches/{dispatchId}/redeliver',
    summary: 'Send a dispatch of an Actor webhook again',
    description:
      'With the same id, address and payload, and with all retries: one that waits for its next attempt is sent now. Where the address is that of a run to start, a further run is started.',
    access: { action: 'updateWebhook', ofOwner: true },
    isData: true,
    params: Type.Object({ dispatchId: Type.String() }),
    reply: { 200: ShownDispatch },
  },
  async (call, kernel) => {
    const { db } = kernel;
    const id = call.params.dispatchId;
    const dispatch = await findDelivery(db, { id });
    const isOwn = dispatch?.api === ACTORS_API && dispatch.ownerId === accountOf(call.caller).id;
    if (!isOwn) {
      call.can('actor-webhook/*');
      throw dispatchNotFound();
    }
    await openWebhook(kernel, call, dispatch.hookId, 'updateWebhook');
    await db.transaction().execute(async (tx) => {
      await redeliver(tx, INDEPENDENT, id, call.now);
      await reopenLastDispatch(tx, dispatch.hookId, id);
    });
    return toShownDispatch((await findDelivery(db, { id })) ?? dispatch);
  },
);

export const dispatchWorkRoutes = [redeliverDispatch];
