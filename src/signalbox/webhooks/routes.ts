// Lists the receivers of the flag service's changes with their last outcome, and sends them tests. The flags API creates and changes them.
import { testDeliveryTo } from '../../flags/webhooks/deliveries.ts';
import { FLAGS_API } from '../../flags/webhooks/model.ts';
import { listReceivers } from '../../flags/webhooks/store.ts';
import { toAuditEntry } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { IN_ORDER } from '../../kernel/webhooks/policy.ts';
import { findDelivery } from '../../kernel/webhooks/store-deliveries.ts';
import { enqueueDeliveries } from '../../kernel/webhooks/store-enqueue.ts';
import { findLastDelivery } from '../attention/store-causes.ts';
import { cursorPage } from '../cursor-page.ts';
import { openReceiver } from './access.ts';
import {
  FlagIntegration,
  FlagWebhook,
  listIntegrations,
  receiverResource,
  toWebhookDeliveryItem,
  toFlagWebhook,
  viewActionOf,
  WebhookDeliveryItem,
} from './model.ts';

const VIEW = { action: 'viewWebhook', others: ['viewIntegration'] };

const listFlagWebhooks = route(
  {
    id: 'listFlagWebhooks',
    method: 'GET',
    path: '/flag-webhooks',
    summary: "List the webhooks and integrations that receive the flag service's changes",
    description:
      'With how the last delivery to each went. There are at most 100 of each kind, so all are on one page.',
    access: VIEW,
    list: FlagWebhook,
  },
  async (call, { db }) => {
    const all = await listReceivers(db);
    const seen = all.filter((receiver) => call.can(receiverResource(receiver), viewActionOf(receiver)));
    // Denies callers who may see none at all; if there are none, this reveals nothing.
    if (seen.length === 0 && !call.can('integration/*', 'viewIntegration'))
      call.requirePermission('webhook/*', 'viewWebhook');
    const items = [];
    for (const receiver of seen)
      items.push(toFlagWebhook(receiver, await findLastDelivery(db, FLAGS_API, receiver.id)));
    return cursorPage(items);
  },
);

const listFlagIntegrations = route(
  {
    id: 'listFlagIntegrations',
    method: 'GET',
    path: '/flag-integrations',
    summary: 'List the integrations that audit-log subscriptions can send to, with their settings',
    access: 'caller',
    list: FlagIntegration,
  },
  () => cursorPage(listIntegrations()),
);

const testFlagWebhook = route(
  {
    id: 'testFlagWebhook',
    method: 'POST',
    path: '/flag-webhooks/{id}/test',
    summary: 'Send a test to a webhook or an integration',
    description:
      'An entry like those of the audit log, which says that it is a test. It is sent, signed and retried as every other ' +
      'delivery. One that is off receives nothing.',
    access: { action: 'updateOn', others: ['viewWebhook', 'viewIntegration'] },
    params: Type.Object({ id: Type.String() }),
    reply: { 202: WebhookDeliveryItem },
  },
  async (call, { db }) => {
    const receiver = await openReceiver(call, db, call.params.id);
    const resource = receiverResource(receiver);
    call.requirePermission(resource, 'updateOn');
    if (!receiver.on) throw new Failure('conflict', 'It is off, and receives nothing. Turn it on first.');
    const entry = toAuditEntry(call, {
      accesses: [{ action: 'updateOn', resource }],
      kind: receiver.integration === undefined ? 'webhook' : 'integration',
      name: receiver.name || receiver.id,
      verb: 'tested the webhook',
      description: 'This is a test. Nothing has changed.',
    });
    const outgoing = testDeliveryTo(receiver, entry);
    if (outgoing === undefined)
      throw new Failure('conflict', 'This version of the server does not have its integration.');
    const sent = await db.transaction().execute(async (tx) => {
      await enqueueDeliveries(tx, IN_ORDER, [outgoing], call.now);
      return (await findDelivery(tx, { id: entry.id }))!;
    });
    return reply(202, toWebhookDeliveryItem(sent));
  },
);

export const flagWebhookRoutes = [listFlagWebhooks, listFlagIntegrations, testFlagWebhook];
