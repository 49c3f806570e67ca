// The webhook of an app, for the app itself: its config and its deliveries.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { appResource, type HostApp } from '../apps/app.ts';
import { undecodable } from '../apps/app-tokens.ts';
import { changeApp } from '../apps/change-app.ts';
import { appOf } from '../apps/program.ts';
import { findApp } from '../apps/store.ts';
import { hookOfApp } from './store.ts';
import { configAfter, sealHookSecret } from './change-hooks.ts';
import { readDelivery, redeliverToHook, showDeliveries } from './deliveries.ts';
import { DeliveryParam, DeliveryQuery, HookDeliveryItem, HookDeliveryReply } from './delivery-model.ts';
import { HookConfigReply, HookConfigUpdate, toHookConfig } from './model.ts';

/** The app that calls; it may have been deleted a moment ago. */
async function openOwnApp({ db }: Pick<Kernel, 'db'>, caller: KnownCaller): Promise<HostApp> {
  const app = await findApp(db, appOf(caller)?.app ?? 0);
  if (app === undefined) throw undecodable();
  return app;
}

const getConfig = route(
  {
    id: 'apps/get-webhook-config-for-app',
    method: 'GET',
    path: '/app/hook/config',
    summary: "Get the config of the app's webhook",
    access: 'caller',
    reply: { 200: HookConfigReply },
  },
  async ({ caller }, kernel) => toHookConfig(hookOfApp(await openOwnApp(kernel, caller)).config),
);

const updateConfig = route(
  {
    id: 'apps/update-webhook-config-for-app',
    method: 'PATCH',
    path: '/app/hook/config',
    summary: "Change the config of the app's webhook",
    description:
      'Fields that are absent stay, the secret included. A webhook that had no address is on as soon as it has one.',
    access: { action: 'updateApp' },
    body: HookConfigUpdate,
    bodyIsOptional: true,
    reply: { 200: HookConfigReply },
  },
  async (call, kernel) => {
    const { slug, number } = await openOwnApp(kernel, call.caller);
    call.requirePermission(appResource({ slug }));
    const { body: sent = {} } = call;
    const sealed = await sealHookSecret(kernel, sent.secret);
    const app = await kernel.changes.run(call, (tx) =>
      changeApp(tx, { slug, number }, (before) => {
        const { config, isActive } = hookOfApp(before);
        const hook = configAfter(kernel, config, { sent, sealed, change: 'fields' });
        return { hook: { ...hook, isActive: before.hook.url === null || isActive } };
      }),
    );
    return toHookConfig(hookOfApp(app).config);
  },
);

const listDeliveries = route(
  {
    id: 'apps/list-webhook-deliveries',
    method: 'GET',
    path: '/app/hook/deliveries',
    summary: "List the deliveries of the app's webhook",
    description: 'Of the last week, the newest first, once they were sent.',
    access: 'caller',
    query: DeliveryQuery,
    reply: { 200: Type.Array(HookDeliveryItem) },
  },
  async ({ caller, query, base, url }, kernel) =>
    await showDeliveries(kernel.db, hookOfApp(await openOwnApp(kernel, caller)), query, { base, url }),
);

const getDelivery = route(
  {
    id: 'apps/get-webhook-delivery',
    method: 'GET',
    path: '/app/hook/deliveries/{delivery_id}',
    summary: "Get a delivery of the app's webhook, with what was sent and answered",
    access: 'caller',
    params: Type.Object(DeliveryParam),
    reply: { 200: HookDeliveryReply },
  },
  async ({ caller, params }, kernel) =>
    await readDelivery(kernel.db, hookOfApp(await openOwnApp(kernel, caller)), params.delivery_id),
);

const redeliverAgain = route(
  {
    id: 'apps/redeliver-webhook-delivery',
    method: 'POST',
    path: '/app/hook/deliveries/{delivery_id}/attempts',
    summary: "Send a delivery of the app's webhook again",
    description:
      'It becomes a delivery of its own, with the same `guid`, and goes where the webhook points now.',
    access: 'caller',
    params: Type.Object(DeliveryParam),
    reply: { 202: Type.Object({}) },
    isData: true,
  },
  async ({ caller, params, now }, kernel) => {
    await redeliverToHook(kernel.db, hookOfApp(await openOwnApp(kernel, caller)), params.delivery_id, now);
    return reply(202, {});
  },
);

export const appHookRoutes = [getConfig, updateConfig, listDeliveries, getDelivery, redeliverAgain];
