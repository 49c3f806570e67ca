// Deliveries of webhooks: list them, look into one, and send it again.
import { reply, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { findHookOf, HOOK_PLACES, UPDATE_HOOKS, VIEW_HOOKS, type HookPlaceName } from './access.ts';
import { DeliveryParam, DeliveryQuery, HookDeliveryItem, HookDeliveryReply } from './delivery-model.ts';
import { readDelivery, redeliverToHook, showDeliveries } from './deliveries.ts';
import { HookParam, hookParams, hookRoute } from './routes.ts';

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
      query: DeliveryQuery,
      reply: { 200: Type.Array(HookDeliveryItem) },
    },
    async ({ params, query, base, url }, { db }, at) =>
      await showDeliveries(db, await findHookOf(db, at, params.hook_id), query, { base, url }),
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
    async ({ params }, { db }, at) =>
      await readDelivery(db, await findHookOf(db, at, params.hook_id), params.delivery_id),
  );

  const again = hookRoute(
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
      await redeliverToHook(db, await findHookOf(db, at, params.hook_id), params.delivery_id, now);
      return reply(202, {});
    },
  );

  return [list, get, again];
}

export const hookDeliveryRoutes = [...deliveryRoutesOf('repos'), ...deliveryRoutesOf('orgs')];
