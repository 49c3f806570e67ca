// The webhook of an app, for the app itself: its config and its deliveries.
import { systemActor } from '../../kernel/change/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import type { HostApp } from '../apps/app.ts';
import { changeApp } from '../apps/create-app.ts';
import { findApp, lockAppSlug } from '../apps/store.ts';
import { hookOfApp } from './app-hook.ts';
import { configAfter, sealHookSecret } from './change-hooks.ts';
import { readDelivery, redeliver, showDeliveries } from './deliveries.ts';
import { DeliveryParam, DeliveryQuery, HookDeliveryItem, HookDeliveryReply } from './delivery-model.ts';
import { HookConfigReply, HookConfigUpdate, toHookConfig } from './model.ts';

/** Throws unless the caller is an app, by its JSON web token. */
async function openOwnApp({ db }: Pick<Kernel, 'db'>, { program }: KnownCaller): Promise<HostApp> {
  const [, number] = /^app\/(\d+)$/.exec(program?.api === 'host' ? program.id : '') ?? [];
  const app = number === undefined ? undefined : await findApp(db, Number(number));
  if (app === undefined) throw new Failure('unauthenticated', 'A JSON web token could not be decoded');
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
    access: 'caller',
    body: HookConfigUpdate,
    bodyIsOptional: true,
    reply: { 200: HookConfigReply },
  },
  async ({ caller, body: sent = {}, now, id }, kernel) => {
    const { slug, number } = await openOwnApp(kernel, caller);
    const sealed = await sealHookSecret(kernel, sent.secret);
    const app = await kernel.changes.run(systemActor({ now, id, caller }), async (on) => {
      await lockAppSlug(on.db, slug);
      const before = await findApp(on.db, number);
      if (before === undefined) throw new Failure('not-found', 'There is no such app');
      const { config, isActive } = hookOfApp(before);
      const { url, ...after } = configAfter(kernel, config, { sent, sealed, change: 'fields' });
      const isOn = before.hook.url === null || isActive;
      return await changeApp(on, before, { hook: { ...after, url, isActive: isOn } });
    });
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
    await redeliver(kernel.db, hookOfApp(await openOwnApp(kernel, caller)), params.delivery_id, now);
    return reply(202, {});
  },
);

export const appHookRoutes = [getConfig, updateConfig, listDeliveries, getDelivery, redeliverAgain];
