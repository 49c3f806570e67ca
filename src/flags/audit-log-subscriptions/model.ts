// The representation of audit-log subscriptions, the rules for changing them, and their settings: checked by integration, with secrets sealed and shown masked.
import type { Access } from '../../kernel/identity/actor.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { PlainText, Type, type Static, problem } from '../../kernel/schema/schema.ts';
import type { DeliverySummaries } from '../../kernel/webhooks/store-deliveries.ts';
import { Name, Tags } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { editor } from '../patch/patch.ts';
import { StatementSchema } from '../policy/statements.ts';
import type { Subscription, StoredConfig, StoredValue } from '../webhooks/model.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import type { ConfigField, Integration, OpenConfig } from './integrations.ts';

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

export type SentConfig = Record<string, unknown>;

/** As it is shown: a secret as its mask. */
export function maskConfig(config: StoredConfig): OpenConfig {
  return mapValues(config, (value) => (isSealed(value) ? value.mask : value));
}

/** Without secrets. */
export function publicConfig(config: StoredConfig): OpenConfig {
  return Object.fromEntries(
    Object.entries(config).filter((entry): entry is [string, string | boolean] => !isSealed(entry[1])),
  );
}

export function openConfig({ open }: Pick<SecretBox, 'open'>, config: StoredConfig): OpenConfig {
  return mapValues(config, (value) => (isSealed(value) ? open(value.sealed) : value));
}

/**
 * A secret that is sent as its mask stays as it is. Where the address changes, secrets have to be sent again: otherwise a
 * caller with the permission to change the address could have them sent to a server of their own.
 */
export async function readConfig(
  secrets: SecretBox,
  { fields }: Integration,
  sent: SentConfig,
  before: StoredConfig = {},
): Promise<StoredConfig> {
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    throw problem(`config.${unknown}`, `is unknown here. There are: ${Object.keys(fields).join(', ')}`);
  const config: [string, StoredValue][] = [];
  const isElsewhere = Object.entries(fields).some(
    ([name, field]) => field.kind === 'address' && valueOf(name, field, sent) !== before[name],
  );
  for (const [name, field] of Object.entries(fields)) {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    if (isSealed(known) && sent[name] === known.mask) {
      if (isElsewhere) throw problem(`config.${name}`, 'must be sent again, because the address changes');
      config.push([name, known]);
      continue;
    }
    const value = valueOf(name, field, sent);
    if (value === undefined) continue;
    const isSecret = field.kind === 'secret' || field.kind === 'secret address';
    const text = String(value);
    config.push([name, isSecret ? { sealed: await secrets.seal(text), mask: maskOf(text) } : value]);
  }
  return Object.fromEntries(config);
}

/** What goes into a header has to be a header's text. */
const FORMS: Record<Exclude<ConfigField['kind'], 'switch'>, { pattern: RegExp; words: string }> = {
  address: { pattern: /^https?:\/\/[!-~]{1,2000}$/, words: 'must be a URL' },
  'secret address': { pattern: /^https?:\/\/[!-~]{1,2000}$/, words: 'must be a URL' },
  secret: { pattern: /^[ -~]{1,1000}$/, words: 'must be a text of at most 1000 printable ASCII characters' },
  word: { pattern: /^[\w.-]{1,256}$/, words: 'must be of letters, digits, dots, dashes and underscores' },
  text: { pattern: /^[^\0]{1,256}$/, words: 'must be a text of at most 256 characters' },
};

function valueOf(name: string, field: ConfigField, sent: SentConfig): string | boolean | undefined {
  const value = (Object.hasOwn(sent, name) ? sent[name] : undefined) ?? field.default;
  if (value === undefined) {
    if (field.isOptional) return undefined;
    throw problem(`config.${name}`, 'is required');
  }
  if (field.kind === 'switch') {
    if (typeof value !== 'boolean') throw problem(`config.${name}`, 'must be true or false');
    return value;
  }
  const { pattern, words } = FORMS[field.kind];
  if (typeof value !== 'string' || !pattern.test(value)) throw problem(`config.${name}`, words);
  if (field.among !== undefined && !field.among.includes(value))
    throw problem(`config.${name}`, `must be one of ${field.among.join(', ')}`);
  return value;
}

/** Below this length, the last characters would be too large a part of the secret. */
const LONG = 12;

function maskOf(secret: string): string {
  return '*'.repeat(8) + (secret.length < LONG ? '' : secret.slice(-4));
}

function isSealed(value: StoredValue | undefined): value is Exclude<StoredValue, string | boolean> {
  return typeof value === 'object';
}

function mapValues<To>(config: StoredConfig, change: (value: StoredValue) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, change(value)]));
}
