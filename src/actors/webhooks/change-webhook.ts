// Creates, changes and deletes webhooks, each in one transaction with its audit entry, and transfers those of an account that ends.
import { type ChangeActor, systemActor } from '../../kernel/identity/actor.ts';
import type { Change } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { shareLockAccount, type TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { scheduleDeliveryRemoval, scheduleDeliveryStop } from '../../kernel/webhooks/store-removal.ts';
import { updateDeliveryOwner } from '../../kernel/webhooks/store-deliveries.ts';
import { openActor } from '../actors/access.ts';
import { holdActor } from '../actors/store.ts';
import { openRun } from '../runs/access.ts';
import { holdRun } from '../runs/store.ts';
import { openTask } from '../tasks/access.ts';
import { holdTask } from '../tasks/store.ts';
import { requireWebhooks, actorWebhookResource, makerOf } from './access.ts';
import { ACTORS_API } from './dispatch-model.ts';
import {
  changeFields,
  checkIdempotencyKey,
  invalidWebhook,
  MAX_AD_HOC_WEBHOOKS,
  MAX_WEBHOOKS,
  newFields,
  targetOfCondition,
  toCondition,
  tooManyWebhooks,
  webhookNotFound,
  type ActorWebhook,
  type CreateWebhook,
  type SentCondition,
  type SentWebhook,
  type WebhookScope,
} from './model.ts';
import { parseOwnRunUrl } from './own-url.ts';
import {
  countActorWebhooks,
  countWebhooksOfRun,
  deleteActorWebhook,
  deleteWebhooksOfTarget,
  findWebhookByKey,
  insertActorWebhooks,
  lockActorWebhook,
  lockActorWebhooks,
  updateActorWebhook,
  updateWebhookOwner,
} from './store.ts';

type WebhookChanger = ChangeActor & { caller: KnownCaller };

/** The one that has the same key, if there is one. */
export async function createWebhook(
  kernel: Kernel,
  call: WebhookChanger,
  sent: Static<typeof CreateWebhook>,
): Promise<ActorWebhook> {
  const { caller, now } = call;
  const userId = accountOf(caller).id;
  const idempotencyKey = sent.idempotencyKey ?? null;
  if (idempotencyKey !== null) checkIdempotencyKey(idempotencyKey);
  const isAdHoc = sent.isAdHoc === true;
  const opened = await openTarget(kernel, call, sent.condition, (resource) =>
    requireWebhooks(call, 'createWebhook', resource),
  );
  if (isAdHoc && opened.target.kind !== 'run')
    throw invalidWebhook('isAdHoc', 'can be true only with condition.actorRunId');
  const fields = newFields(sent);
  checkRequestUrl(kernel, fields.requestUrl);
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    await shareLockAccount(db, caller);
    await holdTarget(db, opened.target);
    await lockActorWebhooks(db, userId);
    const known = idempotencyKey === null ? undefined : await findWebhookByKey(db, userId, idempotencyKey);
    if (known !== undefined) {
      // A program must not learn of webhooks that it could not see otherwise.
      requireWebhooks(call, 'createWebhook', actorWebhookResource(known));
      return known;
    }
    await checkNumber(db, userId, opened.target, isAdHoc);
    const [webhook] = await insertActorWebhooks(
      db,
      [{ userId, fields, ...opened, isAdHoc, idempotencyKey, maker: makerOf(caller) }],
      now,
    );
    tx.record({ ...changeOf('createWebhook', 'created', webhook!), after: audited(webhook!) });
    return webhook!;
  });
}

async function checkNumber(tx: Db, userId: string, target: WebhookScope, isAdHoc: boolean): Promise<void> {
  if (!isAdHoc && (await countActorWebhooks(tx, userId)) >= MAX_WEBHOOKS)
    throw tooManyWebhooks(`You have ${MAX_WEBHOOKS} webhooks, and more are not allowed: delete one first.`);
  if (target.kind === 'run' && (await countWebhooksOfRun(tx, target.id)) >= MAX_AD_HOC_WEBHOOKS)
    throw tooManyWebhooks(`The run has ${MAX_AD_HOC_WEBHOOKS} webhooks, and more are not allowed.`);
}

interface OpenedTarget {
  target: WebhookScope;
  parentRunId: string | null;
}

/** Resolves what the condition names. The caller must be able to see it, and `requirePermission` is asked before anything is said of it. */
async function openTarget(
  kernel: Kernel,
  call: WebhookChanger,
  condition: SentCondition,
  requirePermission: (resource: string) => void,
): Promise<OpenedTarget> {
  const { kind, id } = targetOfCondition(condition);
  const blank: OpenedTarget = { target: { kind, id }, parentRunId: null };
  if (kind === 'run') {
    const run = await openRun(kernel, call, id, 'viewRun').catch((error: unknown) => {
      requirePermission(actorWebhookResource(blank));
      throw error;
    });
    const parentRunId = run.meta.startedByRunId ?? null;
    requirePermission(actorWebhookResource({ ...blank, parentRunId }));
    return { ...blank, parentRunId };
  }
  requirePermission(actorWebhookResource(blank));
  if (kind === 'task') {
    const { id: taskId } = await openTask(kernel, call, id, 'viewTask');
    return { target: { kind, id: taskId }, parentRunId: null };
  }
  const { id: actorId } = await openActor(kernel, call, id, 'viewActor');
  return { target: { kind, id: actorId }, parentRunId: null };
}

const HOLD = { actor: holdActor, task: holdTask, run: holdRun };

/** Keeps it from being deleted until the transaction ends. Before the webhooks are locked, as its deletion does. */
async function holdTarget(tx: Db, { kind, id }: WebhookScope): Promise<void> {
  if (!(await HOLD[kind](tx, id))) throw invalidWebhook('condition', 'names what was deleted meanwhile');
}

/** Throws for URLs that the server would never call. */
export function checkRequestUrl(
  { guard, publicUrl }: Pick<Kernel, 'guard' | 'publicUrl'>,
  url: string,
): void {
  if (parseOwnRunUrl(url, publicUrl) !== undefined) return;
  try {
    guard.checkUrl(url);
  } catch (error) {
    if (error instanceof Failure) throw invalidWebhook('requestUrl', `cannot be used. ${error.message}`);
    throw error;
  }
}

/** What is absent stays as it is. From now on it has the permissions of this caller. */
export async function changeWebhook(
  kernel: Kernel,
  call: WebhookChanger,
  { id, userId }: ActorWebhook,
  sent: SentWebhook,
): Promise<ActorWebhook> {
  const { caller, now } = call;
  const moved =
    sent.condition == null
      ? undefined
      : await openTarget(kernel, call, sent.condition, (resource) =>
          requireWebhooks(call, 'updateWebhook', resource),
        );
  if (sent.requestUrl != null) checkRequestUrl(kernel, sent.requestUrl);
  return await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    if (moved !== undefined) await holdTarget(db, moved.target);
    const before = await lockOwn(db, id, userId);
    const { target, parentRunId } = moved ?? before;
    if (before.isAdHoc && target.kind !== 'run')
      throw invalidWebhook('condition', 'of an ad-hoc webhook must have actorRunId');
    const fields = changeFields(before, sent);
    const after = await updateActorWebhook(
      db,
      id,
      { fields, target, parentRunId, maker: makerOf(caller) },
      now,
    );
    if (before.isEnabled && !after.isEnabled)
      await scheduleDeliveryStop(db, { api: ACTORS_API, hookId: id }, kernel.clock.now());
    tx.record({
      ...changeOf('updateWebhook', 'updated', after),
      before: audited(before),
      after: audited(after),
    });
    return after;
  });
}

/** With its dispatches, also those that wait for a retry. */
export async function removeWebhook(
  kernel: Kernel,
  call: WebhookChanger,
  { id, userId }: ActorWebhook,
): Promise<void> {
  await kernel.changes.run(call, async (tx) => {
    const { db } = tx;
    const before = await lockOwn(db, id, userId);
    await deleteActorWebhook(db, id);
    await scheduleDeliveryRemoval(db, { api: ACTORS_API, hookId: id }, call.now);
    tx.record({ ...changeOf('deleteWebhook', 'deleted', before), before: audited(before) });
  });
}

/** For an Actor or task that is deleted, in that transaction and before it: the tasks of an Actor go with it. */
export async function removeWebhooksOf(tx: Db, targetId: string, now: number): Promise<void> {
  for (const hookId of await deleteWebhooksOfTarget(tx, targetId))
    await scheduleDeliveryRemoval(tx, { api: ACTORS_API, hookId }, now);
}

/** It may be gone, or belong to somebody else by now. */
async function lockOwn(tx: Db, id: string, userId: string): Promise<ActorWebhook> {
  const webhook = await lockActorWebhook(tx, id);
  if (webhook === undefined || webhook.userId !== userId) throw webhookNotFound();
  return webhook;
}

function changeOf(action: string, done: string, webhook: ActorWebhook): Change {
  return {
    accesses: [{ action, resource: actorWebhookResource(webhook) }],
    kind: 'webhook',
    name: URL.parse(webhook.requestUrl)?.host ?? webhook.id,
    verb: `${done} the webhook`,
    ownerId: webhook.userId,
  };
}

/** Without what may hold secrets: the path and query of the URL, and the templates. */
function audited({ id, requestUrl, target, eventTypes, isEnabled, isAdHoc, doNotRetry }: ActorWebhook) {
  const url = URL.parse(requestUrl);
  return {
    id,
    requestUrl: url === null ? null : url.origin,
    condition: toCondition(target),
    eventTypes,
    isEnabled,
    isAdHoc,
    doNotRetry,
  };
}

export const transferWebhooks: TransferOwnership = async (tx, from, to) => {
  // Removing the account was authorized, and the transfer follows from it.
  const transfer = tx.as(systemActor(tx.actor));
  const webhooks = await updateWebhookOwner(transfer.db, from.id, to.id);
  await updateDeliveryOwner(transfer.db, ACTORS_API, from.id, to.id);
  if (webhooks === 0n) return;
  transfer.record({
    accesses: [{ action: 'transferWebhooks', resource: `service-token/${from.id}` }],
    kind: 'token',
    name: from.username,
    verb: `gave to ${to.username} the webhooks of the token`,
    after: { owner: to.username, webhooks: Number(webhooks) },
  });
};
