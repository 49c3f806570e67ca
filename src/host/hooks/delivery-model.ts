// Deliveries of webhooks: what is saved with them and with their attempts, and how replies show them.
import type { Headers } from '../../kernel/http/protocol.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { DeliveryWithAttempts } from '../../kernel/webhooks/store-deliveries.ts';
import { isoSeconds } from '../times.ts';

/** What is saved with a delivery, beside its body. */
export interface HookDeliveryDetails {
  event: string;
  action: string | null;
  /** The number of the repository that it is about. */
  repository: number | null;
  /** The number of the installation, where the hook is an app's. */
  installation?: number;
  isRedelivery: boolean;
}

/** What is saved with an attempt, for those who look into a delivery. */
export interface HookAttemptDetails {
  url: string;
  requestHeaders: Headers;
  /** Null where there was no answer. */
  responseHeaders: Headers | null;
  isTimeout: boolean;
}

/** What came of a delivery, in the words that clients know. */
export function deliveryStatus(status: number | null, isTimeout: boolean): string {
  if (status === null) return isTimeout ? 'timed out' : 'failed to connect to host';
  return status >= 200 && status < 300 ? 'OK' : `Invalid HTTP Response: ${status}`;
}

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

export function toDeliveryItem(delivery: DeliveryWithAttempts): Static<typeof HookDeliveryItem> {
  const { number, eventId, finishedAt, details } = delivery;
  const attempt = delivery.history.at(-1);
  const { event, action, repository, installation, isRedelivery } = JSON.parse(
    details,
  ) as HookDeliveryDetails;
  const status = attempt?.status ?? null;
  return {
    id: number,
    guid: eventId,
    delivered_at: isoSeconds(attempt?.at ?? finishedAt ?? 0),
    redelivery: isRedelivery,
    duration: (attempt?.durationMs ?? 0) / 1000,
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
  delivery: DeliveryWithAttempts,
  body: string,
  hookUrl: string,
): Static<typeof HookDeliveryReply> {
  const sent = attemptDetailsOf(delivery);
  return {
    ...toDeliveryItem(delivery),
    url: sent?.url ?? hookUrl,
    request: {
      headers: sent?.requestHeaders ?? null,
      payload: JSON.parse(body) as Record<string, unknown>,
    },
    response: {
      headers: sent?.responseHeaders ?? null,
      payload: sent?.responseHeaders ? (delivery.history.at(-1)?.response ?? null) : null,
    },
  };
}

/** Absent where nothing was sent. */
function attemptDetailsOf({ history }: DeliveryWithAttempts): HookAttemptDetails | undefined {
  const details = history.at(-1)?.details;
  return details ? (JSON.parse(details) as HookAttemptDetails) : undefined;
}
