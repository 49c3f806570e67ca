// Selects the webhooks and audit-log subscriptions that receive a change.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import type { Subscriber } from '../../kernel/change/changes.ts';
import { DUE } from '../../kernel/jobs/due-store.ts';
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { IN_ORDER } from '../../kernel/webhooks/policy.ts';
import { deliveryStatements } from '../../kernel/webhooks/store-enqueue.ts';
import { toEntryDetail } from '../audit-log/model.ts';
import { isOfAllMembers } from '../audit-log/visibility.ts';
import { publicConfig } from '../audit-log-subscriptions/config.ts';
import { INTEGRATIONS, type Integration } from '../audit-log-subscriptions/integrations.ts';
import { statementMatcher } from '../policy/statements.ts';
import { FLAGS_API, type Webhook, type WebhookIntegration } from './model.ts';
import { readWebhooks, selectActiveWebhooks } from './store.ts';

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
