// Which webhooks hear of a change, and where and under which signature it is sent.
import type { CompiledQuery } from 'kysely';
import type { Access } from '../../kernel/events.ts';
import type { Hooks } from '../../kernel/dialect.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { prepareDeliveries } from '../../kernel/webhook/deliveries.ts';
import { matcher } from '../statement-matcher.ts';
import { sign, type Webhook } from './model.ts';
import { findWebhook } from './store.ts';

export const API = 'flags';

type Matcher = (accesses: readonly Access[]) => boolean;

/** Compiled once for each version of a webhook. */
const matchers = new Map<string, { version: number; matches: Matcher }>();
const MOST_REMEMBERED = 1000;

/** What it takes to tell those that listen, of the webhooks that are on. `toBody` is asked only if there is one. */
export function prepareTelling(
  db: Db,
  webhooks: readonly Webhook[],
  { eventId, accesses, toBody }: { eventId: string; accesses: readonly Access[]; toBody: () => string },
  now: number,
): CompiledQuery[] {
  const hearing = webhooks.filter((webhook) => matcherOf(webhook)(accesses));
  if (hearing.length === 0) return [];
  const body = toBody();
  return prepareDeliveries(
    db,
    hearing.map(({ id: hookId }) => ({ api: API, hookId, eventId, body })),
    now,
  );
}

function matcherOf({ id, version, statements }: Webhook): Matcher {
  const known = matchers.get(id);
  if (known?.version === version) return known.matches;
  const matches = statements.length === 0 ? () => true : matcher(statements);
  if (matchers.size >= MOST_REMEMBERED) matchers.clear();
  matchers.set(id, { version, matches });
  return matches;
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
