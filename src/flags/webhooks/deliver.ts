// Which webhooks hear of a change, and where and under which signature it is sent.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { AuditEntry } from '../../kernel/change/change.ts';
import type { Subscriber } from '../../kernel/change/changes.ts';
import type { Hooks } from '../../kernel/dialect.ts';
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { deliveryStatements } from '../../kernel/webhook/store-deliveries.ts';
import { toDetail } from '../audit-log/model.ts';
import { RESOURCE_TYPES } from '../resources.ts';
import { matcher } from '../statement-matcher.ts';
import { sign, type Webhook } from './model.ts';
import { findWebhook, readWebhooks, selectActiveWebhooks } from './store.ts';

export const API = 'flags';

type Matcher = (entry: AuditEntry) => boolean;

/** Compiled once for each version of a webhook; by its id. */
type Matchers = BoundedCache<string, { version: number; matches: Matcher }>;

/** Every change of configuration that a webhook's statements speak of is sent to it, as its audit entry. */
export function webhookSubscriber(): Subscriber {
  const matchers: Matchers = new BoundedCache({ max: 1000 });
  return {
    registrations: selectActiveWebhooks,
    statementsFor(db, entries, rows) {
      const webhooks = readWebhooks(rows);
      return entries.flatMap((entry) => {
        const hearing = webhooks.filter((webhook) => matcherOf(matchers, webhook)(entry));
        if (hearing.length === 0) return [];
        const body = JSON.stringify(toDetail(entry));
        return deliveryStatements(
          db,
          hearing.map(({ id: hookId }) => ({ api: API, hookId, eventId: entry.id, body })),
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
  const matches = matcher(statements);
  return ({ accesses }) => matches(accesses);
}

/** A webhook that names nothing hears of the flag service alone: what belongs to the other APIs has to be named. */
function isOfFlags({ resource }: AuditEntry): boolean {
  return RESOURCE_TYPES.has(resource.split(/[/:]/, 1)[0]!);
}

export const hooks: Hooks = {
  async targetOf(db, hookId) {
    const webhook = await findWebhook(db, hookId);
    if (webhook === undefined || !webhook.on) return undefined;
    const { url, secret } = webhook;
    return {
      url,
      headersFor: (body) => (secret === undefined ? {} : { 'x-ld-signature': sign(secret, body) }),
    };
  },
};
