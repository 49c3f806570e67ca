// Dispatches of webhooks: of one, or of all.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { route, type Route } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import {
  countDeliveries,
  findDelivery,
  listDeliveries,
  withAttempts,
  type DeliveryFilter,
} from '../../kernel/webhooks/store-deliveries.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { requireWebhooks, openWebhook } from './access.ts';
import { ACTORS_API, dispatchNotFound, ShownDispatch, toShownDispatch } from './dispatch-model.ts';
import { ByWebhook } from './routes.ts';

async function pageOf({ db }: Kernel, filter: DeliveryFilter, query: Static<typeof LIST_QUERY>) {
  const { desc } = query;
  const slice = listSliceOf(query);
  const rows = await listDeliveries(db, filter, { ...slice, oldestFirst: !desc });
  const total = await countDeliveries(db, filter);
  return new Page(await mapInSlices(await withAttempts(db, rows), toShownDispatch), total, slice, desc);
}

const ofWebhook = route(
  {
    id: 'webhook_webhookDispatches_get',
    method: 'GET',
    path: '/webhooks/{webhookId}/dispatches',
    summary: 'List the dispatches of a webhook',
    description: 'A dispatch is removed a week after it has ended.',
    access: { action: 'viewWebhook', ofOwner: true },
    params: ByWebhook,
    query: LIST_QUERY,
    list: ShownDispatch,
  },
  async (call, kernel) => {
    const { id: hookId } = await openWebhook(kernel, call, call.params.webhookId, 'viewWebhook');
    return await pageOf(kernel, { api: ACTORS_API, hookId }, call.query);
  },
);

const list = route(
  {
    id: 'webhookDispatches_get',
    method: 'GET',
    path: '/webhook-dispatches',
    summary: 'List the dispatches of all your webhooks',
    description: 'Those of ad-hoc webhooks are among them. A dispatch is removed a week after it has ended.',
    access: { action: 'viewWebhook' },
    query: LIST_QUERY,
    list: ShownDispatch,
  },
  async (call, kernel) => {
    requireWebhooks(call, 'viewWebhook');
    return await pageOf(kernel, { api: ACTORS_API, ownerId: accountOf(call.caller).id }, call.query);
  },
);

const get = route(
  {
    id: 'webhookDispatch_get',
    method: 'GET',
    path: '/webhook-dispatches/{dispatchId}',
    summary: 'Get a dispatch of a webhook, with its calls',
    access: { action: 'viewWebhook', ofOwner: true },
    params: Type.Object({ dispatchId: Type.String() }),
    reply: { 200: ShownDispatch },
  },
  async (call, kernel) => {
    requireWebhooks(call, 'viewWebhook');
    const dispatch = await findDelivery(kernel.db, { id: call.params.dispatchId });
    const isOwn = dispatch?.api === ACTORS_API && dispatch.ownerId === accountOf(call.caller).id;
    if (!isOwn) throw dispatchNotFound();
    return toShownDispatch(dispatch);
  },
);

export const dispatchRoutes = [ofWebhook, list, get] as Route[];
