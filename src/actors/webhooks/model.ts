// Webhooks: their fields and rules, and how the API shows them.
import { Failure } from '../../kernel/failure.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { EVENT_TYPES, type WebhookEventType } from './event-types.ts';
import { parseHeaderTemplate, BadTemplate, parseTemplate } from './template.ts';

/** What it listens to: all runs and builds of an Actor, all runs of a task, or one run. */
export interface WebhookScope {
  kind: 'actor' | 'task' | 'run';
  id: string;
}

/** Whose permissions it has: those of the token, session or run that saved it last. */
export interface WebhookMaker {
  initiator: Initiator;
  /** Of a personal token. */
  tokenId?: string;
  /** Of a run's own token. */
  runId?: string;
}

/** The fields that a create or an update sets. */
export interface WebhookFields {
  eventTypes: readonly WebhookEventType[];
  requestUrl: string;
  payloadTemplate: string | null;
  headersTemplate: string | null;
  shouldInterpolateStrings: boolean;
  ignoreSslErrors: boolean;
  doNotRetry: boolean;
  description: string | null;
  isEnabled: boolean;
}

const NEW_WEBHOOK: Omit<WebhookFields, 'eventTypes' | 'requestUrl'> = {
  payloadTemplate: null,
  headersTemplate: null,
  shouldInterpolateStrings: false,
  ignoreSslErrors: false,
  doNotRetry: false,
  description: null,
  isEnabled: true,
};

export type DispatchStatus = 'ACTIVE' | 'SUCCEEDED' | 'FAILED';

export interface ActorWebhook extends WebhookFields {
  id: string;
  userId: string;
  target: WebhookScope;
  /** Of a webhook on a run: the run that started it. */
  parentRunId: string | null;
  isAdHoc: boolean;
  maker: WebhookMaker;
  totalDispatches: number;
  lastDispatch: { status: DispatchStatus; finishedAt: number | null } | null;
  createdAt: number;
  modifiedAt: number;
}

export const MAX_WEBHOOKS = 100;
/** They are rendered in the transaction of each event of the run. */
export const MAX_AD_HOC_WEBHOOKS = 20;

const MAX_TEMPLATE = 32_768;
const MAX_HEADERS_TEMPLATE = 16_384;

const Flag = Type.Optional(Nullable(Type.Boolean()));

const SETTINGS = {
  payloadTemplate: Type.Optional(
    Nullable(
      PlainText({
        maxLength: MAX_TEMPLATE,
        description: 'JSON with variables such as `{{resource}}`; null for the default one',
      }),
    ),
  ),
  headersTemplate: Type.Optional(
    Nullable(
      PlainText({
        maxLength: MAX_HEADERS_TEMPLATE,
        description: 'A JSON object of further headers, with variables',
      }),
    ),
  ),
  shouldInterpolateStrings: Flag,
  ignoreSslErrors: Flag,
  doNotRetry: Flag,
  description: Type.Optional(Nullable(PlainText({ maxLength: 10_000 }))),
  isEnabled: Flag,
};

const EventTypes = Type.Array(OneOf(EVENT_TYPES), { minItems: 1, maxItems: 100 });
const RequestUrl = PlainText({ minLength: 1, maxLength: 4096 });
const TargetId = Type.Optional(Nullable(PlainText({ maxLength: 200 })));
const Condition = Type.Object({ actorId: TargetId, actorTaskId: TargetId, actorRunId: TargetId });
export type SentCondition = Static<typeof Condition>;

export const CreateWebhook = Type.Object(
  {
    ...SETTINGS,
    eventTypes: EventTypes,
    condition: Condition,
    requestUrl: RequestUrl,
    isAdHoc: Flag,
    idempotencyKey: Type.Optional(Nullable(PlainText({ maxLength: 256 }))),
  },
  { $id: 'WebhookCreate' },
);

export const UpdateWebhook = Type.Object(
  {
    ...SETTINGS,
    eventTypes: Type.Optional(Nullable(EventTypes)),
    condition: Type.Optional(Nullable(Condition)),
    requestUrl: Type.Optional(Nullable(RequestUrl)),
  },
  { $id: 'WebhookUpdate' },
);
export type SentWebhook = Static<typeof UpdateWebhook>;

/** One element of the parameter `webhooks` of calls that start a run. */
export const AdHocWebhooks = Type.Array(
  Type.Object({
    ...SETTINGS,
    eventTypes: EventTypes,
    requestUrl: RequestUrl,
    idempotencyKey: CreateWebhook.properties.idempotencyKey,
  }),
  { maxItems: MAX_AD_HOC_WEBHOOKS },
);

const DateTime = Type.String({ format: 'date-time' });
export const ShownCondition = Type.Object({
  actorId: Nullable(Type.String()),
  actorTaskId: Nullable(Type.String()),
  actorRunId: Nullable(Type.String()),
});

const SHORT_FIELDS = {
  id: Type.String(),
  createdAt: DateTime,
  modifiedAt: DateTime,
  userId: Type.String(),
  isAdHoc: Type.Boolean(),
  isEnabled: Type.Boolean(),
  shouldInterpolateStrings: Type.Boolean(),
  eventTypes: Type.Array(OneOf(EVENT_TYPES)),
  condition: ShownCondition,
  ignoreSslErrors: Type.Boolean(),
  doNotRetry: Type.Boolean(),
  requestUrl: Type.String(),
  lastDispatch: Nullable(
    Type.Object({
      status: OneOf(['ACTIVE', 'SUCCEEDED', 'FAILED']),
      finishedAt: Nullable(DateTime),
      removedAt: Nullable(DateTime),
    }),
  ),
  stats: Type.Object({ totalDispatches: Type.Integer() }),
};

export const WebhookShort = Type.Object(SHORT_FIELDS, { $id: 'WebhookShort' });
export const ShownWebhook = Type.Object(
  {
    ...SHORT_FIELDS,
    payloadTemplate: Nullable(Type.String()),
    headersTemplate: Nullable(Type.String()),
    description: Nullable(Type.String()),
  },
  { $id: 'Webhook' },
);

export function toWebhookShort(webhook: ActorWebhook): Static<typeof WebhookShort> {
  const { lastDispatch } = webhook;
  return {
    id: webhook.id,
    createdAt: new Date(webhook.createdAt).toISOString(),
    modifiedAt: new Date(webhook.modifiedAt).toISOString(),
    userId: webhook.userId,
    isAdHoc: webhook.isAdHoc,
    isEnabled: webhook.isEnabled,
    shouldInterpolateStrings: webhook.shouldInterpolateStrings,
    eventTypes: [...webhook.eventTypes],
    condition: toCondition(webhook.target),
    ignoreSslErrors: webhook.ignoreSslErrors,
    doNotRetry: webhook.doNotRetry,
    requestUrl: webhook.requestUrl,
    lastDispatch: lastDispatch && {
      status: lastDispatch.status,
      finishedAt: lastDispatch.finishedAt === null ? null : new Date(lastDispatch.finishedAt).toISOString(),
      removedAt: null,
    },
    stats: { totalDispatches: webhook.totalDispatches },
  };
}

export function toShownWebhook(webhook: ActorWebhook): Static<typeof ShownWebhook> {
  const { payloadTemplate, headersTemplate, description } = webhook;
  return { ...toWebhookShort(webhook), payloadTemplate, headersTemplate, description };
}

export function toCondition({ kind, id }: WebhookScope): Static<typeof ShownCondition> {
  return {
    actorId: kind === 'actor' ? id : null,
    actorTaskId: kind === 'task' ? id : null,
    actorRunId: kind === 'run' ? id : null,
  };
}

const KINDS = { actorId: 'actor', actorTaskId: 'task', actorRunId: 'run' } as const;

/** What a condition names, in whatever way paths may name it. */
export function targetOfCondition(condition: SentCondition): WebhookScope {
  const named = (['actorId', 'actorTaskId', 'actorRunId'] as const).flatMap((field) => {
    const id = condition[field];
    return id == null ? [] : [{ kind: KINDS[field], id }];
  });
  if (named.length === 1 && named[0]!.id !== '') return named[0]!;
  throw invalidWebhook('condition', 'must have exactly one of actorId, actorTaskId and actorRunId');
}

/** The fields after a change: what is absent stays as it is. */
export function changeFields(before: WebhookFields, sent: SentWebhook): WebhookFields {
  const after: WebhookFields = {
    eventTypes: [...new Set(sent.eventTypes ?? before.eventTypes)],
    requestUrl: sent.requestUrl ?? before.requestUrl,
    payloadTemplate: sent.payloadTemplate === undefined ? before.payloadTemplate : sent.payloadTemplate,
    headersTemplate: sent.headersTemplate === undefined ? before.headersTemplate : sent.headersTemplate,
    shouldInterpolateStrings: sent.shouldInterpolateStrings ?? before.shouldInterpolateStrings,
    ignoreSslErrors: sent.ignoreSslErrors ?? before.ignoreSslErrors,
    doNotRetry: sent.doNotRetry ?? before.doNotRetry,
    description: sent.description === undefined ? before.description : sent.description,
    isEnabled: sent.isEnabled ?? before.isEnabled,
  };
  checkTemplates(after);
  return after;
}

/** A field of a new webhook that is null gets its default. */
export function newFields(
  sent: SentWebhook & Pick<WebhookFields, 'eventTypes' | 'requestUrl'>,
): WebhookFields {
  const { eventTypes, requestUrl } = sent;
  return changeFields({ ...NEW_WEBHOOK, eventTypes, requestUrl }, sent);
}

function checkTemplates({ payloadTemplate, headersTemplate, shouldInterpolateStrings }: WebhookFields): void {
  const check = (field: string, text: string | null, parse: typeof parseTemplate): void => {
    try {
      if (text !== null) parse(text, shouldInterpolateStrings);
    } catch (error) {
      if (error instanceof BadTemplate) throw invalidWebhook(field, error.message);
      throw error;
    }
  };
  check('payloadTemplate', payloadTemplate, parseTemplate);
  check('headersTemplate', headersTemplate, parseHeaderTemplate);
}

const MIN_KEY_LENGTH = 16;

/** A key that others could choose by chance would give them somebody else's webhook instead of their own. */
export function checkIdempotencyKey(key: string): void {
  if (key.length >= MIN_KEY_LENGTH && new Set(key).size > 1) return;
  throw new Failure(
    'invalid',
    `idempotencyKey must have at least ${MIN_KEY_LENGTH} characters that are not all alike: use a random one.`,
    { code: 'invalid-idempotency-key' },
  );
}

/** The message continues after the name of the field. */
export function invalidWebhook(field: string, message: string): Failure {
  return new Failure('invalid', `${field} ${message}`, {
    code: 'schema-validation',
    fields: [{ field, message }],
  });
}

export function tooManyWebhooks(message: string): Failure {
  return new Failure('forbidden', message, { code: 'too-many-webhooks' });
}

export function webhookNotFound(): Failure {
  return new Failure('not-found', 'Webhook was not found');
}
