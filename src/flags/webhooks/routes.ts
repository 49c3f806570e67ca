// Webhooks: list, create, get, patch, delete, and their deliveries.
import { accountOf } from '../../kernel/identity/caller.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import { parseStatements } from '../../kernel/identity/policy.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { IN_ORDER } from '../../kernel/webhooks/policy.ts';
import {
  countDeliveries,
  findDelivery,
  findDeliveryBody,
  listDeliveries,
} from '../../kernel/webhooks/store-deliveries.ts';
import { redeliver } from '../../kernel/webhooks/store-enqueue.ts';
import { scheduleDeliveryRemoval } from '../../kernel/webhooks/store-removal.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import { normalizeTags } from '../fields.ts';
import { PageQuery, sliceOf } from '../lists/list-query.ts';
import { linkTo, Links } from '../links.ts';
import { unknownThing } from '../find-project.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import {
  WEBHOOK_ACTIONS,
  accessesBetween,
  DeliveryDetail,
  DeliverySummary,
  editWebhook,
  FLAGS_API,
  mayHoldSecret,
  webhookResource,
  toDeliveryDetail,
  toDeliverySummary,
  toWebhookRep,
  WebhookPost,
  WebhookRep,
  type Webhook,
} from './model.ts';
import { requireRedelivery, seesDeliveredEntry } from './access.ts';
import {
  insertWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  lockWebhooks,
  updateWebhook,
} from './store.ts';

const VIEW = { action: 'viewWebhook' };
/** Every change is matched against all webhooks, and stored once for each that receives it. */
const MAX_WEBHOOKS = 100;
const ById = Type.Object({ id: Type.String() });
const ByDelivery = Type.Object({ id: Type.String(), deliveryId: Type.String() });

const getWebhooks = route(
  {
    id: 'getAllWebhooks',
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    access: VIEW,
    reply: { 200: Type.Object({ items: Type.Array(WebhookRep), totalCount: Type.Integer(), _links: Links }) },
  },
  async (call, { db }) => {
    const all = await listWebhooks(db);
    const seen = all.filter((webhook) => call.can(webhookResource(webhook)));
    // Denies callers who may see no webhooks at all; if there are none, this reveals nothing.
    if (seen.length === 0) call.requirePermission('webhook/*');
    const items = seen.map((webhook) => show(call, webhook));
    return { items, totalCount: items.length, _links: { self: linkTo('/webhooks') } };
  },
);

const postWebhook = route(
  {
    id: 'postWebhook',
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description:
      'Every change that the statements speak of is sent as its audit entry, by POST, signed in `X-LD-Signature` when there is a secret.',
    access: { action: 'createWebhook' },
    body: WebhookPost,
    reply: { 200: WebhookRep },
  },
  async (call, kernel) => {
    const { body, now } = call;
    const tags = normalizeTags(body.tags ?? []);
    const resource = webhookResource({ id: '*', tags });
    call.requirePermission(resource);
    kernel.guard.checkUrl(body.url);
    const secret = body.secret || (body.sign ? newSecret('').value : undefined);
    const { name = '', url, statements = [] } = body;
    const wanted = {
      name,
      url,
      on: body.on,
      tags,
      statements: parseStatements(statements),
      ...(secret && { secret }),
      savedBy: accountOf(call.caller).id,
    };
    const webhook = await kernel.changes.run(call, async (tx) => {
      const { db } = tx;
      await lockWebhooks(db);
      if ((await listWebhooks(db)).length >= MAX_WEBHOOKS)
        throw problem('body', `would be one more than ${MAX_WEBHOOKS} webhooks`);
      const made = await insertWebhook(db, wanted, now);
      tx.record({
        accesses: [{ action: 'createWebhook', resource: webhookResource(made) }],
        ...named(made),
        verb: 'created the webhook',
        after: toWebhookRep(made, false),
      });
      return made;
    });
    return reply(200, toWebhookRep(webhook, true), { location: `/api/v2/webhooks/${webhook.id}` });
  },
);

const getWebhook = route(
  {
    id: 'getWebhook',
    method: 'GET',
    path: '/webhooks/{id}',
    summary: 'Get a webhook',
    access: VIEW,
    params: ById,
    reply: { 200: WebhookRep },
  },
  async (call, { db }) => show(call, await openWebhook(call, db)),
);

const patchWebhook = route(
  {
    id: 'patchWebhook',
    method: 'PATCH',
    path: '/webhooks/{id}',
    summary: 'Change a webhook by JSON patch',
    access: { action: 'update*', others: ['viewWebhook'] },
    params: ById,
    ...takesPatches('Webhook', { json: true }),
    reply: { 200: WebhookRep },
  },
  async (call, { changes, guard }) => {
    const patch = readDocumentPatch(call, ['json']);
    const webhook = await changes.run(call, async (tx) => {
      const { db } = tx;
      const before = await findWebhook(db, call.params.id, 'hold');
      if (before === undefined) throw unknownThing('webhook', call.params.id);
      call.requirePermission(webhookResource(before), 'viewWebhook');
      // The patch applies to what the caller sees: callers who may not change the secret must not learn it by `test` or
      // `copy`.
      const seesSecret = call.can(webhookResource(before), 'updateSecret');
      const { statements, name, tags, ...edited } = editWebhook(toWebhookRep(before, seesSecret), patch);
      const { secret = seesSecret ? undefined : before.secret, ...rest } = edited;
      const { secret: _, ...kept } = before;
      const after: Webhook & { savedBy: string } = {
        ...kept,
        ...rest,
        name: name ?? '',
        tags: normalizeTags(tags ?? []),
        statements: parseStatements(statements ?? []),
        ...(secret && { secret }),
        savedBy: accountOf(call.caller).id,
      };
      const [first, ...others] = accessesBetween(before, after);
      if (first === undefined) {
        requireAnyPermission(call, WEBHOOK_ACTIONS, webhookResource(before));
        return before;
      }
      requireAllPermissions(call, [first, ...others]);
      if (after.url !== before.url) guard.checkUrl(after.url);
      await updateWebhook(db, after, call.now);
      tx.record({
        accesses: [first, ...others],
        ...named(after),
        verb: 'updated the webhook',
        before: toWebhookRep(before, false),
        after: toWebhookRep(after, false),
        comment: patch.comment,
        ...(!mayHoldSecret(patch) && { update: updateOf(patch) }),
      });
      return after;
    });
    return show(call, webhook);
  },
);

const deleteWebhookRoute = route(
  {
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete a webhook, and what waits to be sent to it',
    access: { action: 'deleteWebhook' },
    params: ById,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const webhook = await findWebhook(db, call.params.id, 'hold');
      if (webhook === undefined) throw unknownThing('webhook', call.params.id);
      call.requirePermission(webhookResource(webhook));
      await deleteWebhook(db, webhook.id);
      await scheduleDeliveryRemoval(db, { api: FLAGS_API, hookId: webhook.id }, call.now);
      tx.record({
        accesses: [{ action: 'deleteWebhook', resource: webhookResource(webhook) }],
        ...named(webhook),
        verb: 'deleted the webhook',
        before: toWebhookRep(webhook, false),
      });
    });
    return reply(204);
  },
);

const getDeliveries = route(
  {
    id: 'getWebhookDeliveries',
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a webhook, newest first',
    description: 'Finished ones are kept for a week.',
    access: VIEW,
    params: ById,
    query: Type.Object(PageQuery),
    list: DeliverySummary,
  },
  async (call, { db }) => {
    const { id: hookId } = await openWebhook(call, db);
    const slice = sliceOf(call.query, 20, 100);
    const hook = { api: FLAGS_API, hookId };
    const items = await listDeliveries(db, hook, slice);
    return new Page(items, await countDeliveries(db, hook), slice).map(toDeliverySummary);
  },
);

const getDelivery = route(
  {
    id: 'getWebhookDelivery',
    method: 'GET',
    path: '/webhooks/{id}/deliveries/{deliveryId}',
    summary: 'Get a delivery, with all attempts at it',
    description:
      'What was sent and what was answered is shown to who may see the audit entry; how it went, to all who may see the webhook.',
    access: VIEW,
    params: ByDelivery,
    reply: { 200: DeliveryDetail },
  },
  async (call, kernel) => {
    const delivery = await openDelivery(call, kernel.db);
    const body = (await seesDeliveredEntry(call, kernel, delivery))
      ? await findDeliveryBody(kernel.db, delivery)
      : undefined;
    return toDeliveryDetail(delivery, body);
  },
);

const postRedelivery = route(
  {
    id: 'redeliverWebhook',
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    summary: 'Send a delivery once more',
    access: { action: 'updateOn' },
    params: ByDelivery,
    reply: { 202: DeliverySummary },
  },
  async (call, kernel) => {
    const { db } = kernel;
    call.requirePermission(webhookResource(await openWebhook(call, db)));
    const { id, eventId } = await openDelivery(call, db);
    await requireRedelivery(call, kernel, { eventId });
    const delivery = await db.transaction().execute((tx) => redeliver(tx, IN_ORDER, id, call.now));
    return reply(202, toDeliverySummary(delivery));
  },
);

export const webhookRoutes = [
  getWebhooks,
  postWebhook,
  getWebhook,
  patchWebhook,
  deleteWebhookRoute,
  getDeliveries,
  getDelivery,
  postRedelivery,
];

type WebhookCall = Pick<Call, 'can' | 'requirePermission'> & { params: { id: string } };

async function openWebhook(call: WebhookCall, db: Db): Promise<Webhook> {
  const webhook = await findWebhook(db, call.params.id);
  if (webhook === undefined) throw unknownThing('webhook', call.params.id);
  call.requirePermission(webhookResource(webhook), 'viewWebhook');
  return webhook;
}

async function openDelivery(call: WebhookCall & { params: { deliveryId: string } }, db: Db) {
  const { id } = await openWebhook(call, db);
  const { deliveryId } = call.params;
  const delivery = /^[0-9a-f]{24}$/.test(deliveryId) ? await findDelivery(db, { id: deliveryId }) : undefined;
  if (delivery === undefined || delivery.hookId !== id || delivery.api !== FLAGS_API) {
    throw unknownThing('delivery', deliveryId);
  }
  return delivery;
}

function show(call: Pick<Call, 'can'>, webhook: Webhook) {
  return toWebhookRep(webhook, call.can(webhookResource(webhook), 'updateSecret'));
}

function named({ name, url }: Webhook) {
  return { kind: 'webhook', name: name || new URL(url).host };
}
