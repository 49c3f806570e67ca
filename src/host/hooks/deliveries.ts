// What routes do with the deliveries of a webhook, whatever it belongs to: list them, look into one, send it again.
import { Failure } from '../../kernel/failure.ts';
import { reply } from '../../kernel/http/route.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  findFinishedDispatch,
  listFinishedDispatches,
} from '../../kernel/webhooks/store-finished-dispatches.ts';
import { perPageOf } from '../list-query.ts';
import {
  toDeliveryItem,
  toHookDelivery,
  type DeliveryQuery,
  type HookDeliveryReply,
} from './delivery-model.ts';
import { enqueueHookDeliveries } from './enqueue-deliveries.ts';
import type { HookDeliveryDetails } from './hook-delivery.ts';
import { hookRefOf, type Hook } from './hook.ts';

const CURSOR = /^v1_(\d{1,15})$/;
const STATES = { success: 'delivered', failure: 'failed' } as const;

export async function showDeliveries(
  db: Db,
  hook: Hook,
  query: Static<typeof DeliveryQuery>,
  { base, url }: { base: string; url: string },
) {
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
}

export async function readDelivery(
  db: Db,
  hook: Hook,
  number: number,
): Promise<Static<typeof HookDeliveryReply>> {
  const delivery = await findFinishedDispatch(db, hookRefOf(hook), number);
  if (delivery === undefined) throw deliveryNotFound();
  return toHookDelivery(delivery, hook.config.url);
}

export async function redeliverToHook(db: Db, hook: Hook, number: number, now: number): Promise<void> {
  const delivery = await findFinishedDispatch(db, hookRefOf(hook), number);
  if (delivery === undefined) throw deliveryNotFound();
  const { eventId: guid, ownerId, body } = delivery;
  const details = JSON.parse(delivery.details) as HookDeliveryDetails;
  await db
    .transaction()
    .execute((tx) =>
      enqueueHookDeliveries(tx, [{ hook, guid, ownerId, body, ...details, isRedelivery: true }], now),
    );
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
