// Deliveries of webhooks as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { FinishedDispatchRow } from '../../kernel/webhooks/store-finished-dispatches.ts';
import { isoSeconds } from '../times.ts';
import { deliveryStatus, type HookAttemptDetails, type HookDeliveryDetails } from './hook-delivery.ts';

/** The parameter of paths below a delivery. */
export const DeliveryParam = {
  delivery_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
};

export const DeliveryQuery = Type.Object({
  per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 100; 30 when not given' })),
  cursor: Type.Optional(Type.String({ description: 'From the Link header of a page' })),
  status: Type.Optional(OneOf(['success', 'failure'])),
});

const ITEM = {
  id: Type.Integer(),
  guid: Type.String(),
  delivered_at: Type.String({ format: 'date-time' }),
  redelivery: Type.Boolean(),
  duration: Type.Number({ description: 'In seconds' }),
  status: Type.String(),
  status_code: Type.Integer({ description: '0 where there was no answer' }),
  event: Type.String(),
  action: Nullable(Type.String()),
  installation_id: Nullable(Type.Integer()),
  repository_id: Nullable(Type.Integer()),
  throttled_at: Nullable(Type.String({ format: 'date-time' })),
};

export const HookDeliveryItem = Type.Object(ITEM, { $id: 'hook-delivery-item' });

const HeaderMap = Nullable(Type.Record(Type.String(), Type.String()));

export const HookDeliveryReply = Type.Object(
  {
    ...ITEM,
    url: Type.String(),
    request: Type.Object({
      headers: HeaderMap,
      payload: Nullable(Type.Record(Type.String(), Type.Unknown())),
    }),
    response: Type.Object({ headers: HeaderMap, payload: Nullable(Type.String()) }),
  },
  { $id: 'hook-delivery' },
);

export function toDeliveryItem(delivery: FinishedDispatchRow): Static<typeof HookDeliveryItem> {
  const { number, eventId, attempt, finishedAt, details } = delivery;
  const { event, action, repository, installation, isRedelivery } = JSON.parse(
    details,
  ) as HookDeliveryDetails;
  const status = attempt?.status ?? null;
  return {
    id: number,
    guid: eventId,
    delivered_at: isoSeconds(attempt?.at ?? finishedAt),
    redelivery: isRedelivery,
    duration: (attempt?.duration_ms ?? 0) / 1000,
    status: deliveryStatus(status, attempt === undefined || attemptDetailsOf(delivery)?.isTimeout === true),
    status_code: status ?? 0,
    event,
    action,
    installation_id: installation ?? null,
    repository_id: repository,
    throttled_at: null,
  };
}

export function toHookDelivery(
  delivery: FinishedDispatchRow & { body: string },
  hookUrl: string,
): Static<typeof HookDeliveryReply> {
  const sent = attemptDetailsOf(delivery);
  return {
    ...toDeliveryItem(delivery),
    url: sent?.url ?? hookUrl,
    request: {
      headers: sent?.requestHeaders ?? null,
      payload: JSON.parse(delivery.body) as Record<string, unknown>,
    },
    response: {
      headers: sent?.responseHeaders ?? null,
      payload: sent?.responseHeaders ? (delivery.attempt?.response ?? null) : null,
    },
  };
}

/** Absent where nothing was sent. */
function attemptDetailsOf({ attempt }: FinishedDispatchRow): HookAttemptDetails | undefined {
  return attempt?.details ? (JSON.parse(attempt.details) as HookAttemptDetails) : undefined;
}
