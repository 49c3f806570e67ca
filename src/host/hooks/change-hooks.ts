// Creates, changes and deletes webhooks, each in one transaction with its audit entry; those of a deleted place go a while later.
import type { Access, ChangeActor } from '../../kernel/identity/actor.ts';
import type { Change } from '../../kernel/change/change.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem, type Static } from '../../kernel/schema/schema.ts';
import { scheduleDeliveryRemoval, scheduleDeliveryStop } from '../../kernel/webhooks/store-removal.ts';
import { type DueHandler, schedule } from '../../kernel/jobs/due-store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { entryOwnerOf } from '../repositories/access.ts';
import { findHookOf, UPDATE_HOOKS, type HookPlace } from './access.ts';
import {
  isEventOf,
  checkBeside,
  eventsAfter,
  EVERY_EVENT,
  hookRefOf,
  placeOfTarget,
  type Hook,
  type HookConfig,
  type StoredHookTarget,
} from './hook.ts';
import {
  auditedHook,
  SECRET_MASK,
  type HookConfigUpdate,
  type HookCreation,
  type HookUpdate,
} from './model.ts';
import { enqueuePing } from './ping.ts';
import { deleteHook, insertHook, listHooks, lockHooks, updateHook } from './store.ts';
import { deleteHookCursor } from './store-deliver-events.ts';

type Actor = ChangeActor & { caller: KnownCaller };

/** Whether all of a config was sent, or some fields of it. */
type ConfigChange = 'whole' | 'fields';

export async function createHook(
  kernel: Kernel,
  actor: Actor,
  place: HookPlace,
  sent: Static<typeof HookCreation>,
): Promise<Hook> {
  const { target, number: targetNumber } = place;
  if (sent.config.url === undefined) throw problem('config.url', 'is required');
  const wanted = {
    target,
    targetNumber,
    isActive: sent.active ?? true,
    events: checkedEvents(place, eventsAfter(['push'], sent)),
    config: configAfter(kernel, NEW_CONFIG, {
      sent: sent.config,
      sealed: await sealHookSecret(kernel, sent.config.secret),
      change: 'whole',
    }),
  };
  return await kernel.changes.run(actor, async (tx) => {
    await lockHooks(tx.db, target);
    checkBeside(wanted, await listHooks(tx.db, target));
    const hook = await insertHook(tx.db, wanted, actor.now);
    tx.record({ ...hookChange(place, hook, 'created'), after: auditedHook(hook) });
    await enqueuePing(tx.db, kernel, { hook, place, caller: actor.caller }, actor.now);
    return hook;
  });
}

/** Fields that are absent stay. */
export async function changeHook(
  kernel: Kernel,
  actor: Actor,
  { place, number }: { place: HookPlace; number: number },
  sent: Static<typeof HookUpdate>,
  configChange: ConfigChange = 'whole',
): Promise<Hook> {
  const { target } = place;
  const sealed = await sealHookSecret(kernel, sent.config?.secret);
  return await kernel.changes.run(actor, async (tx) => {
    await lockHooks(tx.db, target);
    const before = await findHookOf(tx.db, place, number);
    const wanted = {
      ...before,
      isActive: sent.active ?? before.isActive,
      events: checkedEvents(place, eventsAfter(before.events, sent)),
      ...(sent.config && {
        config: configAfter(kernel, before.config, { sent: sent.config, sealed, change: configChange }),
      }),
    };
    checkBeside(wanted, await listHooks(tx.db, target));
    const after = await updateHook(tx.db, wanted, actor.now);
    tx.record({
      ...hookChange(place, after, 'changed'),
      before: auditedHook(before),
      after: auditedHook(after),
    });
    // What waits is not sent when the hook is on again.
    if (before.isActive && !after.isActive)
      await scheduleDeliveryStop(tx.db, hookRefOf(after), kernel.clock.now());
    return after;
  });
}

export async function removeHook(
  kernel: Kernel,
  actor: Actor,
  { place, number }: { place: HookPlace; number: number },
): Promise<void> {
  await kernel.changes.run(actor, async (tx) => {
    await lockHooks(tx.db, place.target);
    const hook = await findHookOf(tx.db, place, number);
    await deleteHook(tx.db, number);
    await scheduleDeliveryRemoval(tx.db, hookRefOf(hook), actor.now);
    tx.record({ ...hookChange(place, hook, 'deleted'), before: auditedHook(hook) });
  });
}

/** The permission is one on the place; the entry is found by the hook, too. */
function hookChange(
  { resource, owner, found }: HookPlace,
  hook: Hook,
  verb: string,
): Change & { requirements: Access[] } {
  const { action } = UPDATE_HOOKS;
  return {
    accesses: [{ action, resource: `${resource}:hook/${hook.number}` }],
    requirements: [{ action, resource }],
    kind: 'hook',
    name: String(hook.number),
    verb: `${verb} the webhook of ${resource}`,
    ...(found === undefined ? { ownerId: owner.id } : entryOwnerOf(found)),
  };
}

function checkedEvents({ target }: HookPlace, events: string[]): string[] {
  const place = placeOfTarget(target);
  const unknown = events.find((name) => name !== EVERY_EVENT && !isEventOf(place, name));
  if (unknown !== undefined)
    throw problem('events', `must be names of events of ${place}s: "${unknown}" is none`);
  if (events.length === 0) throw problem('events', 'must have at least one event');
  return events.includes(EVERY_EVENT) ? [EVERY_EVENT] : events;
}

const NEW_CONFIG: HookConfig = { url: '', contentType: 'form', insecureSsl: false, secret: null };

interface SentChange {
  sent: Static<typeof HookConfigUpdate>;
  /** The secret that was sent. */
  sealed: string | null;
  change: ConfigChange;
}

/** Throws for an address that this server must not call. */
export function configAfter(
  kernel: Kernel,
  before: HookConfig,
  { sent, sealed, change }: SentChange,
): HookConfig {
  const { url = before.url, content_type: contentType = before.contentType, insecure_ssl: insecure } = sent;
  try {
    kernel.guard.checkUrl(url);
  } catch (error) {
    throw problem('config.url', `cannot be used. ${(error as Error).message}`);
  }
  if (insecure !== undefined && !/^[01]$/.test(String(insecure)))
    throw problem('config.insecure_ssl', 'must be 0 or 1');
  // With the whole config, a secret that is not sent is removed; with some fields it stays.
  const keepsSecret = sent.secret === SECRET_MASK || (sent.secret === undefined && change === 'fields');
  return {
    url,
    contentType,
    insecureSsl: insecure === undefined ? before.insecureSsl : String(insecure) === '1',
    secret: keepsSecret ? before.secret : sealed,
  };
}

/** Before the transaction: the first secret of a server writes to the database by itself. */
export async function sealHookSecret(
  { secrets }: Kernel,
  secret: string | null | undefined,
): Promise<string | null> {
  return secret && secret !== SECRET_MASK ? await secrets.seal(secret) : null;
}

export const REMOVE_HOOKS = 'host.remove-hooks';
/** Long enough for the deliveries of what happened last. */
const DELAY_MS = 10 * 60 * 1000;
/** Hooks that are deleted in one transaction. */
const BATCH = 50;

/** In the transaction that deletes the repository or organization. */
export async function scheduleHookRemoval(tx: Db, target: StoredHookTarget, now: number): Promise<void> {
  const payload = JSON.stringify(target);
  const work = { id: `${REMOVE_HOOKS}:${payload}`, kind: REMOVE_HOOKS, payload };
  await schedule(tx, { ...work, dueAt: now + DELAY_MS }, now);
}

export function removeHooks({ db, clock }: Kernel): DueHandler {
  return async ({ payload }, signal) => {
    const target = JSON.parse(payload) as StoredHookTarget;
    for (;;) {
      signal.throwIfAborted();
      const hooks = await listHooks(db, target, { offset: 0, limit: BATCH });
      if (hooks.length === 0) break;
      await db.transaction().execute(async (tx) => {
        for (const hook of hooks) {
          await deleteHook(tx, hook.number);
          await scheduleDeliveryRemoval(tx, hookRefOf(hook), clock.now());
        }
      });
    }
    await deleteHookCursor(db, target);
  };
}
