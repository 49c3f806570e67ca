// Dispatches of Actor webhooks as the Signalbox API shows them: with the next attempt, what was sent, and where its time went.
import type { DispatchDetails } from '../../actors/webhooks/dispatch-model.ts';
import { EVENT_TYPES } from '../../actors/webhooks/event-types.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { DeliveryWithAttempts, WebhookDelivery } from '../../kernel/webhooks/store-deliveries.ts';
import { DELIVERY_STATES, Phases, toAttempt, toDeliveryOutcome } from '../webhooks/model.ts';

const SHOWN = {
  id: Type.String({ description: 'The same for every attempt' }),
  webhookId: Type.String(),
  eventType: OneOf(EVENT_TYPES),
  runId: Type.Optional(Type.String({ description: 'Where the event is one of a run' })),
  buildId: Type.Optional(Type.String({ description: 'Where the event is one of a build' })),
  state: OneOf([...DELIVERY_STATES]),
  attempts: Type.Integer(),
  createdAt: Type.Integer(),
  nextAttemptAt: Type.Optional(Type.Integer()),
  finishedAt: Type.Optional(Type.Integer()),
  status: Type.Optional(Type.Integer({ description: 'Of the last answer' })),
  error: Type.Optional(Type.String({ description: 'Why the last attempt failed' })),
};

export const DispatchItem = Type.Object(SHOWN, { $id: 'ActorDispatch' });

export const DispatchDetail = Type.Object(
  {
    ...SHOWN,
    url: Type.String({ description: 'Where it is sent to: of the webhook at that time' }),
    headerNames: Type.Array(Type.String(), { description: 'Of the headers that its template has set' }),
    body: Type.Optional(Type.String({ description: 'Absent where there is nothing to send' })),
    history: Type.Array(
      Type.Object({
        number: Type.Integer(),
        at: Type.Integer(),
        durationMs: Type.Integer(),
        phases: Type.Optional(Phases),
        status: Type.Optional(Type.Integer()),
        error: Type.Optional(Type.String()),
        response: Type.String({ description: 'The first bytes of the answer' }),
      }),
    ),
  },
  { $id: 'ActorDispatchDetail' },
);

export function toDispatchItem(delivery: WebhookDelivery): Static<typeof DispatchItem> {
  const { eventType, eventData } = JSON.parse(delivery.details) as DispatchDetails;
  const { actorRunId, actorBuildId } = eventData ?? {};
  return {
    id: delivery.id,
    webhookId: delivery.hookId,
    eventType,
    ...(actorRunId !== undefined && { runId: actorRunId }),
    ...(actorBuildId !== undefined && { buildId: actorBuildId }),
    ...toDeliveryOutcome(delivery),
  };
}

export function toDispatchDetail(
  delivery: DeliveryWithAttempts,
  body: string | undefined,
): Static<typeof DispatchDetail> {
  const { requestUrl, headers } = JSON.parse(delivery.details) as DispatchDetails;
  return {
    ...toDispatchItem(delivery),
    url: requestUrl,
    headerNames: Object.keys(headers),
    ...(body !== undefined && { body }),
    history: delivery.history.map((attempt) => ({ ...toAttempt(attempt), response: attempt.response })),
  };
}
