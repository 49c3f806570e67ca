// The representation of webhooks and deliveries, patches of webhooks, and signatures.
import { createHmac } from 'node:crypto';
import type { Access } from '../../kernel/identity/actor.ts';
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import type { DeliveryWithAttempts, WebhookDelivery } from '../../kernel/webhooks/store-deliveries.ts';
import { Tags } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { StatementSchema } from '../policy/statements.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';

/** The name of the API in deliveries. */
export const FLAGS_API = 'flags';

/** Saved with the deliveries of tests, which are of no audit entry. */
export const TEST_DETAILS = JSON.stringify({ isTest: true });

export function isTestDelivery({ details }: Pick<WebhookDelivery, 'details'>): boolean {
  return details === TEST_DETAILS;
}

export interface Webhook {
  id: string;
  name: string;
  url: string;
  on: boolean;
  secret?: string;
  tags: string[];
  /** Empty for all changes of the flag service. */
  statements: PolicyStatement[];
  version: number;
  createdAt: number;
  /** The account that created or changed it last: it receives nothing that this account may not see. */
  savedBy?: string;
  /** For a subscription of an integration, which has its address and its secrets in the settings. */
  integration?: WebhookIntegration;
}

export type Subscription = Webhook & { integration: WebhookIntegration };

export interface WebhookIntegration {
  key: string;
  config: StoredConfig;
}

/** Settings by name; a secret is sealed, beside what is shown of it. */
export type StoredConfig = Record<string, StoredValue>;
export type StoredValue = string | boolean | { sealed: string; mask: string };

const EDITABLE = {
  name: Type.Optional(PlainText({ maxLength: 256 })),
  url: PlainText({ minLength: 1, maxLength: 2048 }),
  on: Type.Boolean(),
  secret: Type.Optional(PlainText({ maxLength: 256, description: 'Deliveries are signed with it' })),
  statements: Type.Optional(
    Type.Array(StatementSchema, { maxItems: 500, description: 'Which changes to send; all, when empty' }),
  ),
  tags: Type.Optional(Tags),
};

export const WebhookPost = Type.Object(
  {
    ...EDITABLE,
    sign: Type.Boolean({ description: 'Whether to sign deliveries; a secret is made where none is given' }),
  },
  { $id: 'WebhookPost' },
);

export const WebhookRep = Type.Object(
  { ...EDITABLE, _links: Links, _id: Type.String(), tags: Tags },
  { $id: 'Webhook' },
);

export function webhookResource({ id, tags }: Pick<Webhook, 'id' | 'tags'>): string {
  return tags.length === 0 ? `webhook/${id}` : `webhook/${id};${tags.join(',')}`;
}

/** The secret is visible only to callers who may change it. */
export function toWebhookRep(webhook: Webhook, withSecret: boolean): Static<typeof WebhookRep> {
  const { id, name, url, on, secret, tags, statements } = webhook;
  return {
    _links: {
      self: linkTo(`/webhooks/${id}`),
      parent: linkTo('/webhooks'),
      deliveries: linkTo(`/webhooks/${id}/deliveries`),
    },
    _id: id,
    name,
    url,
    on,
    tags,
    statements,
    ...(withSecret && secret !== undefined && { secret }),
  };
}

export const editWebhook = editor({ editable: Type.Object(EDITABLE) });

/**
 * Whether a patch sets or tests the secret, alone or with the whole webhook: the audit log does not store such a patch.
 */
export function mayHoldSecret(patch: DocumentPatch): boolean {
  if (patch.kind === 'merge') return Object.hasOwn(patch.fields, 'secret');
  return patch.operations.some((operation) =>
    /^(\/secret(\/.*)?)?$/.test((operation as { path: string }).path),
  );
}

const ACTIONS = {
  name: 'updateName',
  url: 'updateUrl',
  on: 'updateOn',
  secret: 'updateSecret',
  statements: 'updateStatements',
  tags: 'updateTags',
} as const;

export const WEBHOOK_ACTIONS = Object.values(ACTIONS);

/** The permissions that the change requires, on the webhook before it. */
export function accessesBetween(before: Webhook, after: Webhook): Access[] {
  const resource = webhookResource(before);
  return (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => ({ action: ACTIONS[name], resource }));
}

export function signBody(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

const SHOWN_DELIVERY = {
  _links: Links,
  _id: Type.String({ description: 'The same for every attempt; receivers hear it in X-Signalbox-Delivery' }),
  entryId: Type.String({ description: 'The audit entry it tells of' }),
  state: Type.String({ description: '`pending`, `delivered` or `failed`' }),
  attempts: Type.Integer(),
  creationDate: Type.Integer(),
  nextAttemptDate: Type.Optional(Type.Integer()),
  finishedDate: Type.Optional(Type.Integer()),
  statusCode: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String()),
};

export const DeliverySummary = Type.Object(SHOWN_DELIVERY, { $id: 'WebhookDeliverySummary' });

export const DeliveryDetail = Type.Object(
  {
    ...SHOWN_DELIVERY,
    body: Type.Optional(
      Type.String({ description: 'What was sent; only for who may see the audit entry that it is' }),
    ),
    history: Type.Array(
      Type.Object({
        number: Type.Integer(),
        date: Type.Integer(),
        durationMs: Type.Integer(),
        statusCode: Type.Optional(Type.Integer()),
        error: Type.Optional(Type.String()),
        response: Type.Optional(
          Type.String({
            description: 'The first bytes of the answer; only with the body, as it may repeat it',
          }),
        ),
      }),
    ),
  },
  { $id: 'WebhookDelivery' },
);

export function toDeliverySummary(delivery: WebhookDelivery): Static<typeof DeliverySummary> {
  const { id, hookId, eventId, state, attempts, createdAt, dueAt, finishedAt, status, error } = delivery;
  return {
    _links: {
      self: linkTo(`/webhooks/${hookId}/deliveries/${id}`),
      parent: linkTo(`/webhooks/${hookId}/deliveries`),
      entry: linkTo(`/auditlog/${eventId}`),
    },
    _id: id,
    entryId: eventId,
    state,
    attempts,
    creationDate: createdAt,
    ...(state === 'pending' && dueAt !== null && { nextAttemptDate: dueAt }),
    ...(finishedAt !== null && { finishedDate: finishedAt }),
    ...(status !== null && { statusCode: status }),
    ...(error !== null && { error }),
  };
}

/** The body, and responses that may repeat it, are visible only to callers who may see the audit entry: for others it is undefined. */
export function toDeliveryDetail(
  delivery: DeliveryWithAttempts,
  body: string | undefined,
): Static<typeof DeliveryDetail> {
  const seesEntry = body !== undefined;
  return {
    ...toDeliverySummary(delivery),
    ...(seesEntry && { body }),
    history: delivery.history.map(({ number, at, durationMs, status, error, response }) => ({
      number,
      date: at,
      durationMs,
      ...(status !== null && { statusCode: status }),
      ...(error !== null && { error }),
      ...(seesEntry && { response }),
    })),
  };
}
