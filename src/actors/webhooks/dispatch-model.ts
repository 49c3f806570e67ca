// Dispatches: what is saved with each, and how the API shows them.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { DeliveryWithAttempts } from '../../kernel/webhooks/store-deliveries.ts';
import { EVENT_TYPES, type WebhookEventType } from './event-types.ts';
import { ShownCondition, type DispatchStatus, type WebhookMaker } from './model.ts';

export const ACTORS_API = 'actors';

export interface EventData {
  actorId?: string;
  actorTaskId?: string;
  actorRunId?: string;
  actorBuildId?: string;
}

/** Of the webhook and the event at that time, so that later changes of the webhook do not matter. */
export interface DispatchDetails {
  eventType: WebhookEventType;
  eventData: EventData | null;
  condition: Static<typeof ShownCondition>;
  requestUrl: string;
  isAdHoc: boolean;
  headers: Record<string, string>;
  ignoreSslErrors: boolean;
  doNotRetry: boolean;
  maker: WebhookMaker;
  /** How many runs in a row webhooks have started before this event. */
  depth: number;
  /** Why there is nothing to send. */
  refusal?: string;
}

const DateTime = Type.String({ format: 'date-time' });

export const ShownDispatch = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    webhookId: Type.String(),
    createdAt: DateTime,
    status: OneOf(['ACTIVE', 'SUCCEEDED', 'FAILED']),
    eventType: OneOf(EVENT_TYPES),
    eventData: Nullable(
      Type.Object({
        actorId: Type.Optional(Type.String()),
        actorTaskId: Type.Optional(Type.String()),
        actorRunId: Type.Optional(Type.String()),
        actorBuildId: Type.Optional(Type.String()),
      }),
    ),
    webhook: Type.Object({
      actionType: OneOf(['HTTP_REQUEST']),
      condition: ShownCondition,
      requestUrl: Type.String(),
      isAdHoc: Type.Boolean(),
    }),
    calls: Type.Array(
      Type.Object({
        startedAt: DateTime,
        finishedAt: DateTime,
        errorMessage: Nullable(Type.String()),
        responseStatus: Nullable(Type.Integer()),
        responseBody: Nullable(Type.String({ description: 'Its first 2048 bytes' })),
      }),
    ),
  },
  { $id: 'WebhookDispatch' },
);

export const DISPATCH_STATUS: Record<DeliveryWithAttempts['state'], DispatchStatus> = {
  pending: 'ACTIVE',
  delivered: 'SUCCEEDED',
  failed: 'FAILED',
};

export function toShownDispatch(dispatch: DeliveryWithAttempts): Static<typeof ShownDispatch> {
  const details = JSON.parse(dispatch.details) as DispatchDetails;
  const { eventType, eventData, condition, requestUrl, isAdHoc } = details;
  return {
    id: dispatch.id,
    userId: dispatch.ownerId ?? '',
    webhookId: dispatch.hookId,
    createdAt: new Date(dispatch.createdAt).toISOString(),
    status: DISPATCH_STATUS[dispatch.state],
    eventType,
    eventData,
    webhook: { actionType: 'HTTP_REQUEST', condition, requestUrl, isAdHoc },
    calls: dispatch.history.map((attempt) => ({
      startedAt: new Date(attempt.at).toISOString(),
      finishedAt: new Date(attempt.at + attempt.durationMs).toISOString(),
      errorMessage: attempt.error,
      responseStatus: attempt.status,
      responseBody: attempt.status === null ? null : attempt.response,
    })),
  };
}

export function dispatchNotFound(): Failure {
  return new Failure('not-found', 'Webhook dispatch was not found');
}
