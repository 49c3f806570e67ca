// Webhooks in the database, and audit-log subscriptions, which are delivered in the same way.
import { newId } from '../../kernel/id.ts';
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { stopDeliveriesOfOthers } from '../../kernel/webhooks/store-deliveries.ts';
import { findRow } from '../store-rows.ts';
import { FLAGS_API } from './model.ts';
import type { StoredConfig, Subscription, Webhook } from './model.ts';
import type { WebhookRow } from './tables.ts';

/** Locks the numbers of webhooks and of subscriptions until the transaction ends. */
export function lockWebhooks(tx: Db): Promise<void> {
  return lockName(tx, 'flags-webhooks');
}

/** All webhooks by creation; there are few. */
export async function listWebhooks(db: Db): Promise<Webhook[]> {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('integration_key', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(webhookOf);
}

/** Those of an integration by creation; there are few. */
export async function listSubscriptions(db: Db, key: string): Promise<Subscription[]> {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('integration_key', '=', key)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => webhookOf(row) as Subscription);
}

/** Webhooks and subscriptions of all integrations by creation; there are few. */
export async function listReceivers(db: Db): Promise<Webhook[]> {
  const rows = await db.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(webhookOf);
}

/** Of all integrations. */
export async function countSubscriptions(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .where('integration_key', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** With `hold`, locks the row until the transaction ends. */
export async function findSubscription(
  db: Db,
  key: string,
  id: string,
  hold?: 'hold',
): Promise<Subscription | undefined> {
  const row = await findRow(db, 'webhooks', id, hold);
  return row?.integration_key === key ? (webhookOf(row) as Subscription) : undefined;
}

/** Active webhooks and subscriptions; for `readWebhooks`. */
export const selectActiveWebhooks = buildOnce((db) =>
  db.selectFrom('webhooks').selectAll().where('is_on', '=', 1),
);

export function readWebhooks(rows: readonly unknown[]): Webhook[] {
  return (rows as WebhookRow[]).map(webhookOf);
}

/** With `hold`, locks the row until the transaction ends. */
export async function findWebhook(db: Db, id: string, hold?: 'hold'): Promise<Webhook | undefined> {
  const row = await findRow(db, 'webhooks', id, hold);
  return row?.integration_key === null ? webhookOf(row) : undefined;
}

/** A webhook or a subscription. */
export async function findReceiver(db: Db, id: string): Promise<Webhook | undefined> {
  const row = await findRow(db, 'webhooks', id);
  return row && webhookOf(row);
}

export async function insertWebhook(
  db: Db,
  webhook: Omit<Webhook, 'id' | 'version' | 'createdAt'>,
  now: number,
): Promise<Webhook> {
  const made: Webhook = { ...webhook, id: newId(now), version: 1, createdAt: now };
  await db.insertInto('webhooks').values(rowOf(made)).execute();
  return made;
}

/** `webhook.version` is the version that was read. */
export async function updateWebhook(
  db: Db,
  webhook: Webhook & { savedBy: string },
  now: number,
): Promise<void> {
  await stopDeliveriesOfOthers(db, { api: FLAGS_API, hookId: webhook.id }, webhook.savedBy, now);
  await db
    .updateTable('webhooks')
    .set(rowOf({ ...webhook, version: webhook.version + 1 }))
    .where('id', '=', webhook.id)
    .execute();
}

export async function deleteWebhook(db: Db, id: string): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', id).execute();
}

function rowOf(webhook: Webhook): WebhookRow {
  const { id, name, url, on, secret, tags, statements, version, createdAt, integration, savedBy } = webhook;
  return {
    id,
    name,
    url,
    is_on: on ? 1 : 0,
    secret: secret ?? null,
    tags: JSON.stringify(tags),
    statements: JSON.stringify(statements),
    version,
    created_at: createdAt,
    integration_key: integration?.key ?? null,
    config: integration === undefined ? null : JSON.stringify(integration.config),
    saved_by: savedBy ?? null,
  };
}

function webhookOf(row: WebhookRow): Webhook {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    on: row.is_on === 1,
    ...(row.secret !== null && { secret: row.secret }),
    tags: JSON.parse(row.tags) as string[],
    statements: JSON.parse(row.statements) as PolicyStatement[],
    version: row.version,
    createdAt: row.created_at,
    ...(row.saved_by !== null && { savedBy: row.saved_by }),
    ...(row.integration_key !== null && {
      integration: { key: row.integration_key, config: JSON.parse(row.config!) as StoredConfig },
    }),
  };
}
