// Deliveries of webhooks: list them, look into one, and send it again.
import { Failure } from '../../kernel/failure.ts';
import { reply, type Route } from '../../kernel/route.ts';
import { OneOf, problem, Type } from '../../kernel/schema.ts';
import {
  findFinishedDispatch,
  listFinishedDispatches,
} from '../../kernel/webhook/store-finished-dispatches.ts';
import { perPageOf } from '../list-query.ts';
import { findHookOf, HOOK_PLACES, UPDATE_HOOKS, VIEW_HOOKS, type HookPlaceName } from './access.ts';
import { HookDeliveryItem, HookDeliveryReply, toDeliveryItem, toHookDelivery } from './delivery-model.ts';
import { enqueueHookDeliveries } from './enqueue-deliveries.ts';
import type { HookDeliveryDetails } from './hook-delivery.ts';
import { hookRefOf } from './hook.ts';
import { HookParam, hookParams, hookRoute } from './routes.ts';

const DeliveryParam = { delivery_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) };
const CURSOR = /^v1_(\d{1,15})$/;
const STATES = { success: 'delivered', failure: 'failed' } as const;

function deliveryRoutesOf(place: HookPlaceName): Route[] {
  const path = `${HOOK_PLACES[place].path}/hooks/{hook_id}/deliveries`;
  const what = place === 'repos' ? 'a repository' : 'an organization';
  const ById = hookParams(place, HookParam);
  const ByDelivery = hookParams(place, { ...HookParam, ...DeliveryParam });

  const list = hookRoute(
    place,
    {
      id: `${place}/list-webhook-deliveries`,
      method: 'GET',
      path,
      summary: `List the deliveries of a webhook of ${what}`,
      description: 'Of the last week, the newest first, once they were sent.',
      access: VIEW_HOOKS,
      params: ById,
      query: Type.Object({
        per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 100; 30 when not given' })),
        cursor: Type.Optional(Type.String({ description: 'From the Link header of a page' })),
        status: Type.Optional(OneOf(['success', 'failure'])),
      }),
      reply: { 200: Type.Array(HookDeliveryItem) },
    },
    async ({ params, query, base, url }, { db }, at) => {
      const hook = await findHookOf(db, at, params.hook_id);
      const limit = perPageOf(query.per_page);
      const found = await listFinishedDispatches(db, hookRefOf(hook), {
        before: positionOf(query.cursor),
        state: query.status && STATES[query.status],
        limit: limit + 1,
      });
      const shown = found.slice(0, limit);
      const body = shown.map(toDeliveryItem);
      if (found.length <= limit || shown.length === 0) return reply(200, body);
      const { pathname, searchParams } = new URL(url, base);
      searchParams.set('cursor', `v1_${shown.at(-1)!.number}`);
      const next = `${new URL(base).origin}${pathname}?${searchParams.toString()}`;
      return reply(200, body, { link: `<${next}>; rel="next"` });
    },
  );

  const get = hookRoute(
    place,
    {
      id: `${place}/get-webhook-delivery`,
      method: 'GET',
      path: `${path}/{delivery_id}`,
      summary: `Get a delivery of a webhook of ${what}, with what was sent and answered`,
      access: VIEW_HOOKS,
      params: ByDelivery,
      reply: { 200: HookDeliveryReply },
    },
    async ({ params }, { db }, at) => {
      const hook = await findHookOf(db, at, params.hook_id);
      const delivery = await findFinishedDispatch(db, hookRefOf(hook), params.delivery_id);
      if (delivery === undefined) throw deliveryNotFound();
      return toHookDelivery(delivery, hook.config.url);
    },
  );

  const redeliver = hookRoute(
    place,
    {
      id: `${place}/redeliver-webhook-delivery`,
      method: 'POST',
      path: `${path}/{delivery_id}/attempts`,
      summary: `Send a delivery of a webhook of ${what} again`,
      description:
        'It becomes a delivery of its own, with the same `guid`, and goes where the webhook points now.',
      access: UPDATE_HOOKS,
      params: ByDelivery,
      reply: { 202: Type.Object({}) },
      isData: true,
    },
    async ({ params, now }, { db }, at) => {
      const hook = await findHookOf(db, at, params.hook_id);
      const delivery = await findFinishedDispatch(db, hookRefOf(hook), params.delivery_id);
      if (delivery === undefined) throw deliveryNotFound();
      const { eventId: guid, ownerId, body } = delivery;
      const details = JSON.parse(delivery.details) as HookDeliveryDetails;
      await db
        .transaction()
        .execute((tx) =>
          enqueueHookDeliveries(tx, [{ hook, guid, ownerId, body, ...details, isRedelivery: true }], now),
        );
      return reply(202, {});
    },
  );

  return [list, get, redeliver];
}

function positionOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, number] = CURSOR.exec(cursor) ?? [];
  if (number === undefined) throw problem('query.cursor', 'must be one from the Link header of a page');
  return Number(number);
}

function deliveryNotFound(): Failure {
  return new Failure('not-found', 'There is no such delivery');
}

export const hookDeliveryRoutes = [...deliveryRoutesOf('repos'), ...deliveryRoutesOf('orgs')];
