// Webhooks in the database.
import { newId } from '../../kernel/id.ts';
import type { PolicyStatement } from '../../kernel/identity/policy.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { couldBeId } from '../fields.ts';
import type { Webhook } from './model.ts';
import type { WebhookRow } from './tables.ts';

/** All webhooks by creation; there are few. */
export async function listWebhooks(db: Db): Promise<Webhook[]> {
  const rows = await db.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('id').execute();
  return rows.map(webhookOf);
}

/** Active webhooks; for `readWebhooks`. */
export const selectActiveWebhooks = buildOnce((db) =>
  db.selectFrom('webhooks').selectAll().where('is_on', '=', 1),
);

export function readWebhooks(rows: readonly unknown[]): Webhook[] {
  return (rows as WebhookRow[]).map(webhookOf);
}

export async function findWebhook(db: Db, id: string): Promise<Webhook | undefined> {
  if (!couldBeId(id)) return undefined;
  const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  return row && webhookOf(row);
}

/** Finds and locks the webhook until the transaction ends. */
export async function lockWebhook(tx: Db, id: string): Promise<Webhook | undefined> {
  if (!couldBeId(id)) return undefined;
  const row = await tx.selectFrom('webhooks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
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
export async function updateWebhook(db: Db, webhook: Webhook): Promise<void> {
  await db
    .updateTable('webhooks')
    .set(rowOf({ ...webhook, version: webhook.version + 1 }))
    .where('id', '=', webhook.id)
    .execute();
}

export async function deleteWebhook(db: Db, id: string): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', id).execute();
}

function rowOf({ id, name, url, on, secret, tags, statements, version, createdAt }: Webhook): WebhookRow {
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
  };
}
