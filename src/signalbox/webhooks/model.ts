// Receivers of the flag service's changes, and their deliveries with all attempts, as the Signalbox API shows them.
import { INTEGRATIONS } from '../../flags/audit-log-subscriptions/integrations.ts';
import { publicConfig, subscriptionResource } from '../../flags/audit-log-subscriptions/model.ts';
import { StatementSchema } from '../../flags/policy/statements.ts';
import {
  isTestDelivery,
  webhookResource,
  type Subscription,
  type Webhook,
} from '../../flags/webhooks/model.ts';
import { Failure } from '../../kernel/failure.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { DeliveryWithAttempts, WebhookDelivery } from '../../kernel/webhooks/store-deliveries.ts';
import type { LastDelivery } from '../attention/store-causes.ts';

type DeliveryState = WebhookDelivery['state'];

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const satisfies DeliveryState[];

const State = OneOf([...DELIVERY_STATES]);

export const FlagWebhook = Type.Object(
  {
    id: Type.String(),
    kind: OneOf(['webhook', 'integration']),
    integration: Type.Optional(Type.String({ description: 'The key of its integration' })),
    name: Type.String(),
    url: Type.Optional(Type.String({ description: 'Absent where it is made from the settings' })),
    config: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()]), {
        description: 'Settings of its integration that are not secret',
      }),
    ),
    isOn: Type.Boolean(),
    isSigned: Type.Boolean({ description: 'Whether deliveries are signed with a secret' }),
    tags: Type.Array(Type.String()),
    statements: Type.Array(StatementSchema, { description: 'Which changes it receives; all, when empty' }),
    resource: Type.String({ description: 'As policies name it' }),
    createdAt: Type.Integer(),
    lastDelivery: Type.Optional(
      Type.Object({
        at: Type.Integer(),
        state: State,
        status: Type.Optional(Type.Integer()),
        error: Type.Optional(Type.String()),
      }),
    ),
  },
  { $id: 'FlagWebhook' },
);

export function receiverResource(receiver: Webhook): string {
  return receiver.integration === undefined
    ? webhookResource(receiver)
    : subscriptionResource(receiver as Subscription);
}

export function viewActionOf({ integration }: Webhook): 'viewWebhook' | 'viewIntegration' {
  return integration === undefined ? 'viewWebhook' : 'viewIntegration';
}

export function toFlagWebhook(receiver: Webhook, last?: LastDelivery): Static<typeof FlagWebhook> {
  const { id, name, url, on, secret, tags, statements, createdAt, integration } = receiver;
  return {
    id,
    kind: integration === undefined ? 'webhook' : 'integration',
    ...(integration === undefined
      ? { url }
      : { integration: integration.key, config: publicConfig(integration.config) }),
    name,
    isOn: on,
    isSigned: secret !== undefined,
    tags,
    statements,
    resource: receiverResource(receiver),
    createdAt,
    ...(last && {
      lastDelivery: {
        at: last.at,
        state: last.state as DeliveryState,
        ...(last.status !== null && { status: last.status }),
        ...(last.error !== null && { error: last.error }),
      },
    }),
  };
}

export const FlagIntegration = Type.Object(
  {
    key: Type.String(),
    fields: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: OneOf(['address', 'secret address', 'secret', 'word', 'text', 'switch']),
        isOptional: Type.Boolean(),
        default: Type.Optional(Type.String()),
        among: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  },
  { $id: 'FlagIntegration' },
);

export function listIntegrations(): Static<typeof FlagIntegration>[] {
  return [...INTEGRATIONS].map(([key, { fields }]) => ({
    key,
    fields: Object.entries(fields).map(([name, { kind, isOptional, default: usual, among }]) => ({
      name,
      kind,
      isOptional: isOptional === true || usual !== undefined,
      ...(usual !== undefined && { default: usual }),
      ...(among !== undefined && { among: [...among] }),
    })),
  }));
}

const SHOWN = {
  id: Type.String({ description: 'The same for every attempt; receivers see it in X-Signalbox-Delivery' }),
  webhookId: Type.String(),
  isTest: Type.Boolean(),
  entryId: Type.Optional(Type.String({ description: 'The audit entry that it is; absent for a test' })),
  state: State,
  attempts: Type.Integer(),
  createdAt: Type.Integer(),
  nextAttemptAt: Type.Optional(Type.Integer()),
  finishedAt: Type.Optional(Type.Integer()),
  status: Type.Optional(Type.Integer({ description: 'Of the last answer' })),
  error: Type.Optional(Type.String({ description: 'Why the last attempt failed' })),
};

export const WebhookDeliveryItem = Type.Object(SHOWN, { $id: 'WebhookDelivery' });

/** Of attempts since this is recorded. */
export const Phases = Type.Object(
  {
    dnsMs: Type.Optional(Type.Integer({ description: 'Finding the address of the name' })),
    connectMs: Type.Optional(Type.Integer()),
    tlsMs: Type.Optional(Type.Integer()),
    firstByteMs: Type.Optional(Type.Integer({ description: 'Sending, and waiting for the answer to begin' })),
    isReused: Type.Optional(
      Type.Boolean({ description: 'The connection was there already: the first three did not happen' }),
    ),
  },
  { $id: 'AttemptPhases', description: 'One after the other; what was not reached is absent' },
);

export const WebhookDeliveryDetail = Type.Object(
  {
    ...SHOWN,
    body: Type.Optional(Type.String({ description: 'Only for who may see the audit entry that it is' })),
    history: Type.Array(
      Type.Object({
        phases: Type.Optional(Phases),
        number: Type.Integer(),
        at: Type.Integer(),
        durationMs: Type.Integer(),
        status: Type.Optional(Type.Integer()),
        error: Type.Optional(Type.String()),
        response: Type.Optional(
          Type.String({
            description: 'The first bytes of the answer; only with the body, which it may repeat',
          }),
        ),
      }),
    ),
  },
  { $id: 'WebhookDeliveryDetail' },
);

export function toWebhookDeliveryItem(delivery: WebhookDelivery): Static<typeof WebhookDeliveryItem> {
  const { id, hookId, eventId } = delivery;
  const isTest = isTestDelivery(delivery);
  return {
    id,
    webhookId: hookId,
    isTest,
    ...(!isTest && { entryId: eventId }),
    ...toDeliveryOutcome(delivery),
  };
}

/** What deliveries of all webhooks have: how it stands with them. */
export function toDeliveryOutcome(delivery: WebhookDelivery) {
  const { state, attempts, createdAt, dueAt, finishedAt, status, error } = delivery;
  return {
    state,
    attempts,
    createdAt,
    ...(state === 'pending' && dueAt !== null && { nextAttemptAt: dueAt }),
    ...(finishedAt !== null && { finishedAt }),
    ...(status !== null && { status }),
    ...(error !== null && { error }),
  };
}

export function toAttempt(attempt: DeliveryWithAttempts['history'][number]) {
  const { number, at, durationMs, status, error, phases } = attempt;
  return {
    number,
    at,
    durationMs,
    ...(phases && { phases }),
    ...(status !== null && { status }),
    ...(error !== null && { error }),
  };
}

/** Without a body, the answers are left out too: they may repeat it. */
export function toDeliveryWithAttempts(
  delivery: DeliveryWithAttempts,
  body: string | undefined,
): Static<typeof WebhookDeliveryDetail> {
  return {
    ...toWebhookDeliveryItem(delivery),
    ...(body !== undefined && { body }),
    history: delivery.history.map((attempt) => ({
      ...toAttempt(attempt),
      ...(body !== undefined && { response: attempt.response }),
    })),
  };
}

/** The number of the last delivery of a page. */
export function parseDeliveryCursor(cursor: string): number {
  if (/^[1-9]\d{0,15}$/.test(cursor)) return Number(cursor);
  throw new Failure('malformed', 'The cursor must be `next` of an earlier page.');
}
