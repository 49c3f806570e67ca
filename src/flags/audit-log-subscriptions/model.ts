// The representation of audit-log subscriptions, and the rules for changing them.
import type { Access } from '../../kernel/identity/actor.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import type { DeliverySummaries } from '../../kernel/webhooks/store-deliveries.ts';
import { Name, Tags } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { editor } from '../patch/patch.ts';
import { StatementSchema } from '../policy/statements.ts';
import type { Subscription } from '../webhooks/model.ts';
import { maskConfig } from './config.ts';

const Config = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 50,
  description:
    'The settings of the integration. Secrets are shown masked; sent back so, they stay as they are',
});

const EDITABLE = {
  name: Name,
  config: Config,
  on: Type.Optional(Type.Boolean({ description: 'Whether changes are sent; `false` unless given' })),
  statements: Type.Optional(
    Type.Array(StatementSchema, { maxItems: 500, description: 'Which changes to send; all, when empty' }),
  ),
  tags: Type.Optional(Tags),
};

export const SubscriptionPost = Type.Object(
  {
    ...EDITABLE,
    config: Type.Optional(Config),
    url: Type.Optional(PlainText({ description: 'The same as `config.url`; for old clients' })),
    apiKey: Type.Optional(PlainText({ description: 'The same as `config.apiKey`; for old clients' })),
  },
  { $id: 'subscriptionPost' },
);

export const SubscriptionRep = Type.Object(
  {
    _links: Links,
    _id: Type.String(),
    kind: Type.String({ description: 'The key of the integration' }),
    name: Type.String(),
    config: Config,
    statements: Type.Array(StatementSchema),
    on: Type.Boolean(),
    tags: Tags,
    _status: Type.Optional(
      Type.Object(
        {
          successCount: Type.Integer(),
          errorCount: Type.Integer(),
          lastSuccess: Type.Optional(Type.Integer()),
          lastError: Type.Optional(Type.Integer()),
          errors: Type.Array(
            Type.Object({
              statusCode: Type.Optional(Type.Integer()),
              error: Type.Optional(Type.String()),
              timestamp: Type.Integer(),
            }),
          ),
        },
        {
          $id: 'IntegrationSubscriptionStatusRep',
          description:
            'Of the last 1,000 deliveries, which are kept for a week; a single subscription has it',
        },
      ),
    ),
  },
  { $id: 'Integration' },
);

export function integrationResource(key: string, tags: readonly string[]): string {
  return tags.length === 0 ? `integration/${key}` : `integration/${key};${tags.join(',')}`;
}

export function subscriptionResource({ integration, tags }: Subscription): string {
  return integrationResource(integration.key, tags);
}

export function toSubscriptionRep(
  { id, name, on, tags, statements, integration: { key, config } }: Subscription,
  deliveries?: DeliverySummaries,
): Static<typeof SubscriptionRep> {
  return {
    _links: { self: linkTo(`/integrations/${key}/${id}`), parent: linkTo(`/integrations/${key}`) },
    _id: id,
    kind: key,
    name,
    config: maskConfig(config),
    statements,
    on,
    tags,
    ...(deliveries && { _status: toStatus(deliveries) }),
  };
}

function toStatus({ delivered, failed, lastDeliveredAt, errors }: DeliverySummaries) {
  const [last] = errors;
  return {
    successCount: delivered,
    errorCount: failed,
    ...(lastDeliveredAt !== undefined && { lastSuccess: lastDeliveredAt }),
    ...(last && { lastError: last.at }),
    errors: errors.map(({ status, error, at }) => ({
      ...(status !== null && { statusCode: status }),
      ...(error !== null && { error }),
      timestamp: at,
    })),
  };
}

export const editSubscription = editor({
  editable: Type.Object(EDITABLE),
  optional: (pointer) => pointer.startsWith('/config/'),
});

const ACTIONS = {
  name: 'updateName',
  integration: 'updateConfiguration',
  on: 'updateOn',
  statements: 'updateStatements',
  tags: 'updateTags',
} as const;

export const SUBSCRIPTION_ACTIONS = Object.values(ACTIONS);

/** The permissions that the change requires, on the subscription before it. */
export function subscriptionAccesses(before: Subscription, after: Subscription): Access[] {
  const resource = subscriptionResource(before);
  return (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])
    .filter((name) => !areEqual(before[name], after[name]))
    .map((name) => ({ action: ACTIONS[name], resource }));
}
