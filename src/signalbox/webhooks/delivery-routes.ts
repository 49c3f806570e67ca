// Deliveries of the flag service's webhooks and integrations: by outcome, with all attempts, and sent once more.
import { requireRedelivery, seesDeliveredEntry } from '../../flags/webhooks/access.ts';
import { FLAGS_API, isTestDelivery } from '../../flags/webhooks/model.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { IN_ORDER } from '../../kernel/webhooks/policy.ts';
import { findDeliveryBody } from '../../kernel/webhooks/store-deliveries.ts';
import { redeliver } from '../../kernel/webhooks/store-enqueue.ts';
import { cursorPage } from '../cursor-page.ts';
import { openReceiver, openWebhookDelivery } from './access.ts';
import {
  DELIVERY_STATES,
  parseDeliveryCursor,
  receiverResource,
  toWebhookDeliveryItem,
  toDeliveryWithAttempts,
  WebhookDeliveryDetail,
  WebhookDeliveryItem,
} from './model.ts';
import { searchDeliveries } from './search-deliveries.ts';

const VIEW = { action: 'viewWebhook', others: ['viewIntegration'] };
const ById = Type.Object({ id: Type.String() });
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

const listWebhookDeliveries = route(
  {
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhook-deliveries',
    summary: 'List the deliveries of a webhook or an integration of the flag service, newest first',
    description:
      'Finished ones are kept for a week. A page may have fewer than its limit, or none, though there are more: a search for ' +
      'rare outcomes goes on with `next`.',
    access: VIEW,
    query: Type.Object({
      webhook: Type.String({ description: 'The id of the webhook or of the subscription' }),
      state: Type.Optional(OneOf([...DELIVERY_STATES])),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: describeLimit(DEFAULT_LIMIT, MAX_LIMIT) }),
      ),
      cursor: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the page before' })),
    }),
    list: WebhookDeliveryItem,
  },
  async (call, { db }) => {
    const { webhook, state, limit, cursor } = call.query;
    const { id: hookId } = await openReceiver(call, db, webhook);
    const { found, next } = await searchDeliveries(
      db,
      { api: FLAGS_API, hookId },
      {
        state,
        limit: clampLimit(limit, DEFAULT_LIMIT, MAX_LIMIT),
        before: cursor === undefined ? undefined : parseDeliveryCursor(cursor),
      },
    );
    return cursorPage(found.map(toWebhookDeliveryItem), next);
  },
);

const getWebhookDelivery = route(
  {
    id: 'getWebhookDelivery',
    method: 'GET',
    path: '/webhook-deliveries/{id}',
    summary: 'Get a delivery, with all attempts at it',
    description:
      'What was sent and what was answered is shown to who may see the audit entry; how it went, to all who may see the webhook.',
    access: VIEW,
    params: ById,
    reply: { 200: WebhookDeliveryDetail },
  },
  async (call, kernel) => {
    const { delivery } = await openWebhookDelivery(call, kernel.db, call.params.id);
    const isSeen = isTestDelivery(delivery) || (await seesDeliveredEntry(call, kernel, delivery));
    return toDeliveryWithAttempts(delivery, isSeen ? await findDeliveryBody(kernel.db, delivery) : undefined);
  },
);

const redeliverWebhookDelivery = route(
  {
    id: 'redeliverWebhookDelivery',
    method: 'POST',
    path: '/webhook-deliveries/{id}/redeliver',
    summary: 'Send a delivery once more',
    access: { action: 'updateOn', others: ['viewWebhook', 'viewIntegration'] },
    params: ById,
    reply: { 202: WebhookDeliveryItem },
  },
  async (call, kernel) => {
    const { receiver, delivery } = await openWebhookDelivery(call, kernel.db, call.params.id);
    call.requirePermission(receiverResource(receiver), 'updateOn');
    await requireRedelivery(call, kernel, delivery);
    const again = await kernel.db
      .transaction()
      .execute((tx) => redeliver(tx, IN_ORDER, delivery.id, call.now));
    return reply(202, toWebhookDeliveryItem(again));
  },
);

export const webhookDeliveryRoutes = [listWebhookDeliveries, getWebhookDelivery, redeliverWebhookDelivery];
