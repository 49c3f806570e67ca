// Webhooks in the database, with the number of their dispatches and the state of the last one.
import type { Selectable, SelectQueryBuilder } from 'kysely';
import { newId } from '../../kernel/id.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import type { FinishedDelivery } from '../../kernel/webhooks/policy.ts';
import type { WebhookEventType } from './event-types.ts';
import type { ActorWebhook, DispatchStatus, WebhookFields, WebhookMaker, WebhookScope } from './model.ts';
import type { ActorWebhookRow } from './tables.ts';

/** Locks the number and the keys of an account's webhooks until the transaction ends. */
export function lockActorWebhooks(tx: Db, userId: string): Promise<void> {
  return lockName(tx, `actor-webhooks:${userId}`);
}

export interface NewWebhook {
  userId: string;
  fields: WebhookFields;
  target: WebhookScope;
  parentRunId: string | null;
  isAdHoc: boolean;
  idempotencyKey: string | null;
  maker: WebhookMaker;
}

/** The caller has called `lockActorWebhooks` where there is a key. */
export async function insertActorWebhooks(
  tx: Db,
  webhooks: readonly NewWebhook[],
  now: number,
): Promise<ActorWebhook[]> {
  const rows = webhooks.map(
    ({ userId, fields, target, parentRunId, isAdHoc, idempotencyKey, maker }): ActorWebhookRow => ({
      id: newId(now),
      user_id: userId,
      ...columnsOf(fields, target, parentRunId, maker),
      is_ad_hoc: Number(isAdHoc),
      idempotency_key: idempotencyKey,
      total_dispatches: 0,
      last_dispatch_id: null,
      last_dispatch_status: null,
      last_dispatch_finished_at: null,
      created_at: now,
      modified_at: now,
    }),
  );
  await tx.insertInto('actor_webhooks').values(rows).execute();
  return rows.map(webhookOf);
}

export async function findActorWebhook(db: Db, id: string): Promise<ActorWebhook | undefined> {
  const row = await db.selectFrom('actor_webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  return row && webhookOf(row);
}

/** Locks the row until the transaction ends. */
export async function lockActorWebhook(tx: Db, id: string): Promise<ActorWebhook | undefined> {
  const row = await tx
    .selectFrom('actor_webhooks')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row && webhookOf(row);
}

export async function findWebhookByKey(
  db: Db,
  userId: string,
  key: string,
): Promise<ActorWebhook | undefined> {
  const row = await db
    .selectFrom('actor_webhooks')
    .selectAll()
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  return row && webhookOf(row);
}

const selectEnabled = buildOnce((db, userId: string, actorId: string, taskId: string, runId: string) =>
  db
    .selectFrom('actor_webhooks')
    .selectAll()
    .where('target_id', 'in', [actorId, taskId, runId])
    .where('user_id', '=', userId)
    .where('is_enabled', '=', 1)
    .orderBy('created_at')
    .orderBy('id')
    .forKeyShare(),
);

/**
 * The webhooks of the account that listen to one of these. Asked at every event, so that it goes by an index alone. They are
 * locked, so that one which is deleted meanwhile gets no dispatches after its removal.
 */
export async function listListening(
  db: Db,
  userId: string,
  { actorId, taskId, runId }: { actorId: string; taskId?: string | null; runId?: string },
): Promise<ActorWebhook[]> {
  const { rows } = await db.executeQuery(selectEnabled(db, userId, actorId, taskId ?? '', runId ?? ''));
  return rows.map(webhookOf);
}

/** With ad-hoc ones, whose target is a run. */
export async function listActorWebhooks(
  db: Db,
  { userId, targetId }: { userId: string; targetId?: string },
  { offset, limit }: Slice,
  desc: boolean,
): Promise<{ items: ActorWebhook[]; total: number }> {
  const order = desc ? 'desc' : 'asc';
  const listed = db
    .selectFrom('actor_webhooks')
    .where('user_id', '=', userId)
    .$if(targetId !== undefined, (query) => query.where('target_id', '=', targetId!));
  const rows = await listed
    .selectAll()
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  return { items: rows.map(webhookOf), total: await countOf(listed) };
}

/** Without ad-hoc ones. */
export async function countActorWebhooks(db: Db, userId: string): Promise<number> {
  return await countOf(
    db.selectFrom('actor_webhooks').where('user_id', '=', userId).where('is_ad_hoc', '=', 0),
  );
}

export async function countWebhooksOfRun(db: Db, runId: string): Promise<number> {
  return await countOf(db.selectFrom('actor_webhooks').where('target_id', '=', runId));
}

async function countOf(query: SelectQueryBuilder<Tables, 'actor_webhooks', object>): Promise<number> {
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export interface WebhookChanges {
  fields: WebhookFields;
  target: WebhookScope;
  parentRunId: string | null;
  maker: WebhookMaker;
}

export async function updateActorWebhook(
  tx: Db,
  id: string,
  { fields, target, parentRunId, maker }: WebhookChanges,
  now: number,
): Promise<ActorWebhook> {
  const row = await tx
    .updateTable('actor_webhooks')
    .set({ ...columnsOf(fields, target, parentRunId, maker), modified_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return webhookOf(row);
}

export async function deleteActorWebhook(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('actor_webhooks').where('id', '=', id).execute();
}

/** With those on the tasks of an Actor, which are deleted with it. Returns the ids of those that were there. */
export async function deleteWebhooksOfTarget(tx: Db, targetId: string): Promise<string[]> {
  const own = await tx
    .deleteFrom('actor_webhooks')
    .where('target_id', '=', targetId)
    .returning('id')
    .execute();
  const ofTasks = await tx
    .deleteFrom('actor_webhooks')
    .where('target_id', 'in', (db) =>
      db.selectFrom('tasks').select('tasks.id').where('tasks.actor_id', '=', targetId),
    )
    .returning('id')
    .execute();
  return [...own, ...ofTasks].map(({ id }) => id);
}

/** Those that listen to this run alone. */
export async function deleteWebhooksOfRun(tx: Db, runId: string): Promise<void> {
  await tx.deleteFrom('actor_webhooks').where('target_id', '=', runId).execute();
}

/** When an account ends. Keys are dropped, because the other account may have the same. */
export async function updateWebhookOwner(tx: Db, from: string, to: string): Promise<bigint> {
  const { numUpdatedRows } = await tx
    .updateTable('actor_webhooks')
    .set({ user_id: to, idempotency_key: null })
    .where('user_id', '=', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows;
}

function columnsOf(
  fields: WebhookFields,
  target: WebhookScope,
  parentRunId: string | null,
  maker: WebhookMaker,
) {
  return {
    target_kind: target.kind,
    target_id: target.id,
    parent_run_id: parentRunId,
    is_enabled: Number(fields.isEnabled),
    event_types: JSON.stringify(fields.eventTypes),
    request_url: fields.requestUrl,
    payload_template: fields.payloadTemplate,
    headers_template: fields.headersTemplate,
    interpolates_strings: Number(fields.shouldInterpolateStrings),
    ignores_ssl_errors: Number(fields.ignoreSslErrors),
    does_not_retry: Number(fields.doNotRetry),
    description: fields.description,
    maker: JSON.stringify(maker),
  };
}

function webhookOf(row: Selectable<ActorWebhookRow>): ActorWebhook {
  return {
    id: row.id,
    userId: row.user_id,
    target: { kind: row.target_kind as WebhookScope['kind'], id: row.target_id },
    parentRunId: row.parent_run_id,
    isAdHoc: row.is_ad_hoc === 1,
    isEnabled: row.is_enabled === 1,
    eventTypes: JSON.parse(row.event_types) as WebhookEventType[],
    requestUrl: row.request_url,
    payloadTemplate: row.payload_template,
    headersTemplate: row.headers_template,
    shouldInterpolateStrings: row.interpolates_strings === 1,
    ignoreSslErrors: row.ignores_ssl_errors === 1,
    doNotRetry: row.does_not_retry === 1,
    description: row.description,
    maker: JSON.parse(row.maker) as WebhookMaker,
    totalDispatches: row.total_dispatches,
    lastDispatch:
      row.last_dispatch_status === null
        ? null
        : {
            status: row.last_dispatch_status as DispatchStatus,
            finishedAt: row.last_dispatch_finished_at,
          },
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  };
}

/** For new dispatches. The queue of the webhook is locked, so that no other transaction waits for the row of the webhook as well. */
export function countDispatch(db: Db, webhookId: string, dispatchId: string): SqlStatement {
  return db
    .updateTable('actor_webhooks')
    .set((eb) => ({
      total_dispatches: eb('total_dispatches', '+', 1),
      last_dispatch_id: dispatchId,
      last_dispatch_status: 'ACTIVE',
      last_dispatch_finished_at: null,
    }))
    .where('id', '=', webhookId)
    .compile();
}

/** For one that is sent again. */
export async function reopenLastDispatch(tx: Db, webhookId: string, dispatchId: string): Promise<void> {
  await tx
    .updateTable('actor_webhooks')
    .set({ last_dispatch_status: 'ACTIVE', last_dispatch_finished_at: null })
    .where('id', '=', webhookId)
    .where('last_dispatch_id', '=', dispatchId)
    .execute();
}

/** For one that has ended; a later one may be the last by now. */
export function endLastDispatch(db: Db, finished: FinishedDelivery, now: number): SqlStatement {
  return db
    .updateTable('actor_webhooks')
    .set({
      last_dispatch_status: finished.hasSucceeded ? 'SUCCEEDED' : 'FAILED',
      last_dispatch_finished_at: now,
    })
    .where('id', '=', finished.hookId)
    .where('last_dispatch_id', '=', finished.id)
    .compile();
}
