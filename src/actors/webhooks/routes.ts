// Webhooks: list, create, get, change, delete, and test.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Route } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { openActor } from '../actors/access.ts';
import { ByActor } from '../actors/routes.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { ByTask, openTask } from '../tasks/access.ts';
import { requireWebhooks, openWebhook, type WebhookCall } from './access.ts';
import { changeWebhook, createWebhook, removeWebhook } from './change-webhook.ts';
import { ShownDispatch, toShownDispatch } from './dispatch-model.ts';
import {
  CreateWebhook,
  ShownWebhook,
  toShownWebhook,
  toWebhookShort,
  UpdateWebhook,
  WebhookShort,
} from './model.ts';
import { listActorWebhooks } from './store.ts';
import { createTestDispatch } from './record-event.ts';

export const ByWebhook = Type.Object({ webhookId: Type.String() });
const VIEW = { action: 'viewWebhook' } as const;

type ListCall = WebhookCall & { query: Static<typeof LIST_QUERY> };

/** The caller's own. */
async function pageOf({ db }: Kernel, call: ListCall, targetId?: string) {
  const { desc } = call.query;
  const slice = listSliceOf(call.query);
  const scope = { userId: accountOf(call.caller).id, ...(targetId !== undefined && { targetId }) };
  const { items, total } = await listActorWebhooks(db, scope, slice, desc);
  return new Page(items.map(toWebhookShort), total, slice, desc);
}

const list = route(
  {
    id: 'webhooks_get',
    method: 'GET',
    path: '/webhooks',
    summary: 'List your webhooks',
    description:
      'Ad-hoc webhooks, which belong to a single run and go with it, are among them, with `isAdHoc: true` and the run in `condition`.',
    access: VIEW,
    query: LIST_QUERY,
    list: WebhookShort,
  },
  async (call, kernel) => {
    requireWebhooks(call, 'viewWebhook');
    return await pageOf(kernel, call);
  },
);

const listOfActor = route(
  {
    id: 'act_webhooks_get',
    method: 'GET',
    path: '/actors/{actorId}/webhooks',
    summary: 'List your webhooks on an Actor',
    access: VIEW,
    params: ByActor,
    query: LIST_QUERY,
    list: WebhookShort,
  },
  async (call, kernel) => {
    requireWebhooks(call, 'viewWebhook');
    const { id } = await openActor(kernel, call, call.params.actorId, 'viewActor');
    return await pageOf(kernel, call, id);
  },
);

const listOfTask = route(
  {
    id: 'actorTask_webhooks_get',
    method: 'GET',
    path: '/actor-tasks/{actorTaskId}/webhooks',
    summary: 'List your webhooks on a task',
    access: VIEW,
    params: ByTask,
    query: LIST_QUERY,
    list: WebhookShort,
  },
  async (call, kernel) => {
    requireWebhooks(call, 'viewWebhook');
    const { id } = await openTask(kernel, call, call.params.actorTaskId, 'viewTask');
    return await pageOf(kernel, call, id);
  },
);

const create = route(
  {
    id: 'webhooks_post',
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description:
      'It listens to the Actor, task or run in `condition`, of which exactly one must be named, in your account alone. Calls with ' +
      'the same `idempotencyKey` create one webhook.',
    access: { action: 'createWebhook' },
    body: CreateWebhook,
    reply: { 201: ShownWebhook },
  },
  async (call, kernel) => {
    const webhook = await createWebhook(kernel, call, call.body);
    return reply(201, toShownWebhook(webhook), { location: `${call.base}/webhooks/${webhook.id}` });
  },
);

const get = route(
  {
    id: 'webhook_get',
    method: 'GET',
    path: '/webhooks/{webhookId}',
    summary: 'Get a webhook',
    access: { action: 'viewWebhook', ofOwner: true },
    params: ByWebhook,
    reply: { 200: ShownWebhook },
  },
  async (call, kernel) =>
    toShownWebhook(await openWebhook(kernel, call, call.params.webhookId, 'viewWebhook')),
);

const update = route(
  {
    id: 'webhook_put',
    method: 'PUT',
    path: '/webhooks/{webhookId}',
    summary: 'Change a webhook',
    description:
      'What is absent stays as it is. A webhook that starts runs of this server does so with the permissions of the token that ' +
      'changed it last. Turning it off with `isEnabled` also ends the retries of its dispatches.',
    access: { action: 'updateWebhook', ofOwner: true },
    params: ByWebhook,
    body: UpdateWebhook,
    reply: { 200: ShownWebhook },
  },
  async (call, kernel) => {
    const opened = await openWebhook(kernel, call, call.params.webhookId, 'updateWebhook');
    return toShownWebhook(await changeWebhook(kernel, call, opened, call.body));
  },
);

const remove = route(
  {
    id: 'webhook_delete',
    method: 'DELETE',
    path: '/webhooks/{webhookId}',
    summary: 'Delete a webhook with its dispatches',
    access: { action: 'deleteWebhook', ofOwner: true },
    params: ByWebhook,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const opened = await openWebhook(kernel, call, call.params.webhookId, 'deleteWebhook');
    await removeWebhook(kernel, call, opened);
    return reply(204);
  },
);

const test = route(
  {
    id: 'webhook_test_post',
    method: 'POST',
    path: '/webhooks/{webhookId}/test',
    summary: 'Send a dummy payload to the URL of a webhook',
    access: { action: 'updateWebhook', ofOwner: true },
    params: ByWebhook,
    isData: true,
    reply: { 201: ShownDispatch },
  },
  async (call, kernel) => {
    const webhook = await openWebhook(kernel, call, call.params.webhookId, 'updateWebhook');
    const dispatch = await createTestDispatch(kernel, webhook, call.now);
    const location = `${call.base}/webhook-dispatches/${dispatch.id}`;
    return reply(201, toShownDispatch(dispatch), { location });
  },
);

export const actorWebhookRoutes = [
  list,
  listOfActor,
  listOfTask,
  create,
  get,
  update,
  remove,
  test,
] as Route[];
