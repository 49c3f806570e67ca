// Selects the webhooks that receive a change, and the target and signature of deliveries.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import type { Subscriber } from '../../kernel/change/changes.ts';
import type { Hooks } from '../../kernel/dialect.ts';
import { DUE } from '../../kernel/due-store.ts';
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { deliveryStatements } from '../../kernel/webhook/store-deliveries.ts';
import { toEntryDetail } from '../audit-log/model.ts';
import { RESOURCE_TYPES } from '../resources.ts';
import { statementMatcher } from '../statement-matcher.ts';
import { signBody, type Webhook } from './model.ts';
import { findWebhook, readWebhooks, selectActiveWebhooks } from './store.ts';

export const FLAGS_API = 'flags';

type Matcher = (entry: AuditEntry) => boolean;

/** Compiled once for each version of a webhook; by its id. */
type Matchers = BoundedCache<string, { version: number; matches: Matcher }>;

/** Sends each change that matches a webhook's statements to it, as the audit entry. */
export function webhookSubscriber(): Subscriber {
  const matchers: Matchers = new BoundedCache({ max: 1000 });
  return {
    channel: DUE,
    registrations: selectActiveWebhooks,
    statementsFor(db, entries, rows) {
      const webhooks = readWebhooks(rows);
      return entries.flatMap((entry) => {
        const subscribed = webhooks.filter((webhook) => matcherOf(matchers, webhook)(entry));
        if (subscribed.length === 0) return [];
        const body = JSON.stringify(toEntryDetail(entry));
        return deliveryStatements(
          db,
          subscribed.map(({ id: hookId }) => ({ api: FLAGS_API, hookId, eventId: entry.id, body })),
          entry.at,
        );
      });
    },
  };
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
  return RESOURCE_TYPES.has(resource.split(/[/:]/, 1)[0]!);
}

export const flagsHooks: Hooks = {
  async targetOf(db, hookId) {
    const webhook = await findWebhook(db, hookId);
    if (webhook === undefined || !webhook.on) return undefined;
    const { url, secret } = webhook;
    return {
      url,
      headersFor: (body) => (secret === undefined ? {} : { 'x-ld-signature': signBody(secret, body) }),
    };
  },
};
