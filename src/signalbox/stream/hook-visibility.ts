// Who may see the deliveries of a webhook: the rule of each API, asked by its own functions, and remembered for a few seconds.
import { openWebhook } from '../../actors/webhooks/access.ts';
import { ACTORS_API } from '../../actors/webhooks/dispatch-model.ts';
import { subscriptionResource } from '../../flags/audit-log-subscriptions/model.ts';
import { FLAGS_API, webhookResource, type Subscription } from '../../flags/webhooks/model.ts';
import { findReceiver } from '../../flags/webhooks/store.ts';
import { HOOK_PLACES, VIEW_HOOKS, type HookCall } from '../../host/hooks/access.ts';
import { appNumberIn } from '../../host/hooks/hook.ts';
import { findHook } from '../../host/hooks/store.ts';
import type { Clock } from '../../kernel/clock.ts';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { HookRef } from '../../kernel/webhooks/tables.ts';

/** A hook, and the account that its deliveries belong to, where the API names one. */
type OwnedHook = HookRef & { ownerId: string | null };

/** Every stream asks about every delivery. */
const REMEMBERED_MS = 5000;
/** For one caller. */
const MOST_REMEMBERED = 200;

export class HookVisibility {
  readonly #clock: Clock;
  /** Callers change with their permissions. */
  readonly #answers = new WeakMap<KnownCaller, BoundedCache<string, boolean>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async maySee(kernel: Kernel, caller: KnownCaller, hook: OwnedHook): Promise<boolean> {
    let answers = this.#answers.get(caller);
    if (answers === undefined)
      this.#answers.set(caller, (answers = new BoundedCache({ max: MOST_REMEMBERED })));
    const key = `${hook.api} ${hook.hookId} ${hook.ownerId}`;
    const now = this.#clock.now();
    let isSeen = answers.get(key, now);
    if (isSeen === undefined) {
      isSeen = await ask(kernel, caller, hook);
      answers.set(key, isSeen, now + REMEMBERED_MS);
    }
    return isSeen;
  }
}

async function ask(kernel: Kernel, caller: KnownCaller, hook: OwnedHook): Promise<boolean> {
  try {
    if (hook.api === FLAGS_API) return await mayInFlags(kernel, caller, hook);
    if (hook.api === ACTORS_API) return await mayInActors(kernel, caller, hook);
    return await mayInHost(kernel, caller, hook);
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

async function mayInFlags({ db }: Kernel, caller: KnownCaller, { hookId }: HookRef): Promise<boolean> {
  const receiver = await findReceiver(db, hookId);
  if (receiver === undefined) return false;
  if (receiver.integration === undefined) return can(caller, 'viewWebhook', webhookResource(receiver));
  return can(caller, 'viewIntegration', subscriptionResource(receiver as Subscription));
}

async function mayInActors(kernel: Kernel, caller: KnownCaller, hook: OwnedHook): Promise<boolean> {
  if (hook.ownerId !== accountOf(caller).id) return false;
  const call = { caller, can: (resource: string, action?: string) => can(caller, action!, resource) };
  await openWebhook(kernel, call, hook.hookId, 'viewWebhook');
  return true;
}

/** The webhook of an app is shown to the app alone, which has no stream. */
async function mayInHost(kernel: Kernel, caller: KnownCaller, { hookId }: HookRef): Promise<boolean> {
  const hook = appNumberIn(hookId) === undefined ? await findHook(kernel.db, Number(hookId)) : undefined;
  if (hook === undefined) return false;
  const call: HookCall = {
    caller,
    now: kernel.clock.now(),
    url: '',
    can: (resource, action = VIEW_HOOKS.action) => can(caller, action, resource),
    params:
      'repository' in hook.target
        ? { repository_id: hook.target.repository }
        : { organization_id: hook.targetNumber },
  };
  await HOOK_PLACES['repository' in hook.target ? 'repos' : 'orgs'].open(kernel, call);
  return true;
}
