// Deliveries of a webhook, whatever it belongs to: enqueued by what causes them, listed, looked into, and sent again.
import { Failure } from '../../kernel/failure.ts';
import { reply } from '../../kernel/http/route.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  findDelivery,
  findDeliveryBody,
  listDeliveries,
  withAttempts,
  type DeliveryWithAttempts,
} from '../../kernel/webhooks/store-deliveries.ts';
import { newId } from '../../kernel/id.ts';
import { INDEPENDENT } from '../../kernel/webhooks/policy.ts';
import { enqueueDeliveries } from '../../kernel/webhooks/store-enqueue.ts';
import { perPageOf } from '../list-query.ts';
import {
  toDeliveryItem,
  toHookDelivery,
  type DeliveryQuery,
  type HookDeliveryDetails,
  type HookDeliveryReply,
} from './delivery-model.ts';
import { hookRefOf, type Hook } from './hook.ts';
import { siteOf } from '../site.ts';

interface HookDelivery extends HookDeliveryDetails {
  hook: Pick<Hook, 'number' | 'target'>;
  /** The same for all hooks that receive one event, and for redeliveries. */
  guid: string;
  /** The account or organization whose receivers it counts among. */
  ownerId: string;
  /** JSON, in whatever way it is sent. */
  body: string;
}

/** To be called at the end of the transaction, as it locks the hooks' queues until the commit. */
export async function enqueueHookDeliveries(
  tx: Db,
  deliveries: readonly HookDelivery[],
  now: number,
): Promise<void> {
  const outgoing = deliveries.map(({ hook, guid, ownerId, body, ...details }) => ({
    ...hookRefOf(hook),
    id: newId(now),
    eventId: guid,
    ownerId,
    body,
    details: JSON.stringify(details satisfies HookDeliveryDetails),
  }));
  if (outgoing.length > 0) await enqueueDeliveries(tx, INDEPENDENT, outgoing, now);
}

const CURSOR = /^v1_(\d{1,15})$/;
/** Clients see a delivery when it has ended. */
const STATES = { success: ['delivered'], failure: ['failed'], any: ['delivered', 'failed'] } as const;

export async function showDeliveries(
  db: Db,
  hook: Hook,
  query: Static<typeof DeliveryQuery>,
  { base, url }: { base: string; url: string },
) {
  const limit = perPageOf(query.per_page);
  const found = await listDeliveries(
    db,
    { ...hookRefOf(hook), states: STATES[query.status ?? 'any'] },
    { before: positionOf(query.cursor), limit: limit + 1 },
  );
  const shown = await withAttempts(db, found.slice(0, limit));
  const body = shown.map(toDeliveryItem);
  if (found.length <= limit || shown.length === 0) return reply(200, body);
  const { pathname, searchParams } = new URL(url, base);
  searchParams.set('cursor', `v1_${shown.at(-1)!.number}`);
  const next = `${siteOf(base)}${pathname}?${searchParams.toString()}`;
  return reply(200, body, { link: `<${next}>; rel="next"` });
}

export async function readDelivery(
  db: Db,
  hook: Hook,
  number: number,
): Promise<Static<typeof HookDeliveryReply>> {
  const { delivery, body } = await openFinished(db, hook, number);
  return toHookDelivery(delivery, body, hook.config.url);
}

export async function redeliverToHook(db: Db, hook: Hook, number: number, now: number): Promise<void> {
  const { delivery, body } = await openFinished(db, hook, number);
  const { eventId: guid, ownerId } = delivery;
  const details = JSON.parse(delivery.details) as HookDeliveryDetails;
  await db
    .transaction()
    .execute((tx) =>
      enqueueHookDeliveries(
        tx,
        [{ hook, guid, ownerId: ownerId ?? '', body, ...details, isRedelivery: true }],
        now,
      ),
    );
}

async function openFinished(
  db: Db,
  hook: Hook,
  number: number,
): Promise<{ delivery: DeliveryWithAttempts; body: string }> {
  const delivery = await findDelivery(db, { ...hookRefOf(hook), number });
  if (delivery === undefined || delivery.state === 'pending') throw deliveryNotFound();
  const body = await findDeliveryBody(db, delivery);
  if (body === undefined) throw deliveryNotFound();
  return { delivery, body };
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
