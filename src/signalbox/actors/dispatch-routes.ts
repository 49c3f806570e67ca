// Dispatches of Actor webhooks: by outcome, with what was sent and all attempts, and sent again.
import { openWebhook, type WebhookCall } from '../../actors/webhooks/access.ts';
import {
  ACTORS_API,
  dispatchNotFound,
  ShownDispatch,
  toShownDispatch,
} from '../../actors/webhooks/dispatch-model.ts';
import { reopenLastDispatch } from '../../actors/webhooks/store.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { INDEPENDENT } from '../../kernel/webhooks/policy.ts';
import {
  findDelivery,
  findDeliveryBody,
  type DeliveryWithAttempts,
} from '../../kernel/webhooks/store-deliveries.ts';
import { redeliver } from '../../kernel/webhooks/store-enqueue.ts';
import { cursorPage } from '../cursor-page.ts';
import { DELIVERY_STATES, parseDeliveryCursor } from '../webhooks/model.ts';
import { searchDeliveries } from '../webhooks/search-deliveries.ts';
import { DispatchDetail, DispatchItem, toDispatchDetail, toDispatchItem } from './dispatch-model.ts';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
const ByDispatch = Type.Object({ dispatchId: Type.String() });

const listActorDispatches = route(
  {
    id: 'listActorDispatches',
    method: 'GET',
    path: '/webhook-dispatches',
    summary: 'List the dispatches of an Actor webhook, newest first',
    description:
      'Finished ones are kept for a week. A page may have fewer than its limit, or none, though there are more: a search for ' +
      'rare outcomes goes on with `next`.',
    access: { action: 'viewWebhook', ofOwner: true },
    query: Type.Object({
      webhook: Type.String(),
      state: Type.Optional(OneOf([...DELIVERY_STATES])),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) }),
      ),
      cursor: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the page before' })),
    }),
    list: DispatchItem,
  },
  async (call, kernel) => {
    const { webhook, state, limit, cursor } = call.query;
    const { id: hookId } = await openWebhook(kernel, call, webhook, 'viewWebhook');
    const { found, next } = await searchDeliveries(
      kernel.db,
      { api: ACTORS_API, hookId },
      {
        state,
        limit: clampLimit(limit, DEFAULT_LIMIT, MAX_LIMIT),
        before: cursor === undefined ? undefined : parseDeliveryCursor(cursor),
      },
    );
    return cursorPage(found.map(toDispatchItem), next);
  },
);

const getActorDispatch = route(
  {
    id: 'getActorDispatch',
    method: 'GET',
    path: '/webhook-dispatches/{dispatchId}',
    summary: 'Get a dispatch of an Actor webhook, with what was sent and all attempts at it',
    description: 'Of the headers only the names are shown: their values may be secret.',
    access: { action: 'viewWebhook', ofOwner: true },
    params: ByDispatch,
    reply: { 200: DispatchDetail },
  },
  async (call, kernel) => {
    const dispatch = await openDispatch(kernel, call, call.params.dispatchId, 'viewWebhook');
    return toDispatchDetail(dispatch, await findDeliveryBody(kernel.db, dispatch));
  },
);

/** One of somebody else is reported as missing. */
async function openDispatch(
  kernel: Kernel,
  call: WebhookCall,
  id: string,
  action: 'viewWebhook' | 'updateWebhook',
): Promise<DeliveryWithAttempts> {
  const dispatch = id.includes('\0') ? undefined : await findDelivery(kernel.db, { id });
  const isOwn = dispatch?.api === ACTORS_API && dispatch.ownerId === accountOf(call.caller).id;
  if (!isOwn) {
    call.can('actor-webhook/*');
    throw dispatchNotFound();
  }
  await openWebhook(kernel, call, dispatch.hookId, action);
  return dispatch;
}

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
    params: ByDispatch,
    reply: { 200: ShownDispatch },
  },
  async (call, kernel) => {
    const { db } = kernel;
    const id = call.params.dispatchId;
    const dispatch = await openDispatch(kernel, call, id, 'updateWebhook');
    const redelivered = await db.transaction().execute(async (tx) => {
      await redeliver(tx, INDEPENDENT, id, call.now);
      await reopenLastDispatch(tx, dispatch.hookId, id);
      return (await findDelivery(tx, { id }))!;
    });
    return toShownDispatch(redelivered);
  },
);

export const dispatchWorkRoutes = [listActorDispatches, getActorDispatch, redeliverDispatch];
