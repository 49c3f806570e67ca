// Deliveries of webhooks and audit-log subscriptions: which of them receive a change, and how it is sent, in order, for about an hour, to where they point by then.
import type { Kernel } from '../../kernel/kernel.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import { IN_ORDER, type DeliveryPolicy } from '../../kernel/webhooks/policy.ts';
import type { WebhookMessage } from '../../kernel/webhooks/send.ts';
import { openConfig, publicConfig } from '../audit-log-subscriptions/model.ts';
import { INTEGRATIONS, type Integration } from '../audit-log-subscriptions/integrations.ts';
import { signBody, TEST_DETAILS, type Webhook, type WebhookIntegration, FLAGS_API } from './model.ts';
import { findReceiver, readWebhooks, selectActiveWebhooks } from './store.ts';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import type { Subscriber } from '../../kernel/change/changes.ts';
import { DUE } from '../../kernel/jobs/due-store.ts';
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { deliveryStatements, type OutgoingDelivery } from '../../kernel/webhooks/store-enqueue.ts';
import { toEntryDetail } from '../audit-log/model.ts';
import { isOfAllMembers } from '../audit-log/visibility.ts';
import { statementMatcher } from '../policy/statements.ts';

type Matcher = (entry: AuditEntry) => boolean;

/** Compiled once for each version of a webhook; by its id. */
type Matchers = BoundedCache<string, { version: number; matches: Matcher }>;

/**
 * Sends each change that matches a webhook's statements to it: as the audit entry, or as its integration expects it. Of
 * resources that belong to an account, a webhook receives only those of the account that saved it last.
 */
export function webhookSubscriber(): Subscriber {
  const matchers: Matchers = new BoundedCache({ max: 1000 });
  return {
    channel: DUE,
    registrations: selectActiveWebhooks,
    statementsFor(db, entries, rows) {
      const webhooks = readWebhooks(rows);
      return entries.flatMap((entry) => {
        const subscribed = webhooks.filter(
          (webhook) => mayReceive(webhook, entry) && matcherOf(matchers, webhook)(entry),
        );
        if (subscribed.length === 0) return [];
        const detail = toEntryDetail(entry);
        const whole = JSON.stringify(detail);
        const outgoing = subscribed.flatMap(({ id: hookId, integration }) => {
          const body = integration === undefined ? whole : bodyFor(integration, detail);
          return body === undefined ? [] : [{ api: FLAGS_API, hookId, eventId: entry.id, body }];
        });
        return deliveryStatements(db, IN_ORDER, outgoing, entry.at);
      });
    },
  };
}

/**
 * A delivery that shows whether a webhook or a subscription is reached: of an entry that says so, which the audit log does not
 * have. Undefined for an integration that this version of the program does not have.
 */
export function testDeliveryTo(
  { id: hookId, integration }: Webhook,
  entry: AuditEntry,
): OutgoingDelivery | undefined {
  const detail = toEntryDetail(entry);
  const body = integration === undefined ? JSON.stringify(detail) : bodyFor(integration, detail);
  return body === undefined
    ? undefined
    : { id: entry.id, api: FLAGS_API, hookId, eventId: entry.id, body, details: TEST_DETAILS };
}

function mayReceive({ savedBy }: Webhook, { resource, ownerId }: AuditEntry): boolean {
  return isOfAllMembers(resource) || (ownerId !== undefined && ownerId === savedBy);
}

function matcherOf(matchers: Matchers, { id, version, statements }: Webhook): Matcher {
  const known = matchers.get(id);
  if (known?.version === version) return known.matches;
  const matches = statements.length === 0 ? isOfFlags : matching(statements);
  matchers.set(id, { version, matches });
  return matches;
}

function matching(statements: readonly PolicyStatement[]): Matcher {
  const matches = statementMatcher(statements);
  return ({ accesses }) => matches(accesses);
}

/** A webhook without statements receives changes of the flag service only; changes of the other APIs have to be named. */
function isOfFlags({ resource }: AuditEntry): boolean {
  return isOfAllMembers(resource);
}

/** Undefined for an integration that this version of the program does not have. */
function bodyFor(
  { key, config }: WebhookIntegration,
  entry: Parameters<Integration['body']>[0],
): string | undefined {
  const integration = INTEGRATIONS.get(key);
  return integration && JSON.stringify(integration.body(entry, publicConfig(config)));
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const RETRY_DELAYS: readonly number[] = [SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, 50 * MINUTE];

export function flagsDeliveryPolicy({ db, secrets }: Pick<Kernel, 'db' | 'secrets'>): DeliveryPolicy {
  return {
    order: IN_ORDER,
    answerMs: 10_000,
    keptBytes: 4 * 1024,
    expiryError: 'It was given up after 24 hours.',
    waitsOf: () => RETRY_DELAYS,
    async openHook(hookId) {
      const webhook = await findReceiver(db, hookId);
      if (webhook === undefined || !webhook.on) return undefined;
      const messageFor = messagesTo(webhook, secrets);
      return (
        messageFor &&
        (async ({ id, body }, send) => {
          const message = messageFor(body);
          const headers = { ...message.headers, 'X-Signalbox-Delivery': id };
          return await send({ ...message, headers, body });
        })
      );
    },
    statementsAfter: () => [],
  };
}

type MessageFor = (body: string) => Omit<WebhookMessage, 'body'>;

function messagesTo(webhook: Webhook, secrets: Pick<SecretBox, 'open'>): MessageFor | undefined {
  if (webhook.integration !== undefined) return messagesOf(webhook.integration, secrets);
  const { url, secret } = webhook;
  return (body) => ({
    url,
    headers: secret === undefined ? {} : { 'x-ld-signature': signBody(secret, body) },
  });
}

/** Undefined for an integration that this version of the program does not have. */
function messagesOf(
  { key, config }: WebhookIntegration,
  secrets: Pick<SecretBox, 'open'>,
): MessageFor | undefined {
  const integration = INTEGRATIONS.get(key);
  if (integration === undefined) return undefined;
  const opened = openConfig(secrets, config);
  const url = integration.url(opened);
  return () => ({
    url,
    headers: integration.headers?.(opened) ?? {},
    trustsAnyCertificate: integration.trustsAnyCertificate?.(opened) ?? false,
  });
}
