// What a webhook receives because somebody asks: the ping, which is also the first thing that it receives, and the push of its test.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { newCallId } from '../../kernel/id.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { HostApp } from '../apps/app.ts';
import { PROVERBS } from '../meta/model.ts';
import { findOrganization } from '../organizations/store.ts';
import { ownerOfAccount, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { describeMove } from '../pushes/describe-move.ts';
import type { HookPlace } from './access.ts';
import { hookOfApp } from './store.ts';
import { enqueueHookDeliveries } from './deliveries.ts';
import { type Hook, asksFor } from './hook.ts';
import { toHookConfig, toOrganizationHook, toRepositoryHook } from './model.ts';
import {
  organizationInPayload,
  repositoryInPayload,
  userInPayload,
  type PayloadObject,
} from './payloads/shared-members.ts';
import { buildPayload } from './payloads/build-payload.ts';

/** A hook that somebody asks something of. */
interface AskedHook {
  hook: Hook;
  place: HookPlace;
  caller: KnownCaller;
}

export async function enqueuePing(
  tx: Db,
  { publicUrl }: Pick<Kernel, 'publicUrl'>,
  asked: AskedHook,
  now: number,
): Promise<void> {
  const { hook, place } = asked;
  const payload = {
    zen: PROVERBS[now % PROVERBS.length],
    hook_id: hook.number,
    hook: hookInPayload(hook, publicUrl + place.path),
    ...(await commonMembers(tx, asked, publicUrl)),
  };
  const delivery = {
    hook,
    guid: newCallId(),
    ownerId: place.owner.id,
    body: JSON.stringify(payload),
    event: 'ping',
    action: null,
    repository: place.found?.repository.number ?? null,
    isRedelivery: false,
  };
  await enqueueHookDeliveries(tx, [delivery], now);
}

/** Receivers expect no code and no message of the last response. */
function hookInPayload(hook: Hook, api: string): PayloadObject {
  if (!('repository' in hook.target)) return toOrganizationHook(hook, api);
  const { status } = hook.lastResponse;
  return { ...toRepositoryHook(hook, api), last_response: { code: null, status, message: null } };
}

/** The repository, the organization and who asked. */
async function commonMembers(
  tx: Db,
  { place: { found, owner, organization: own }, caller }: AskedHook,
  base: string,
): Promise<PayloadObject> {
  const organization =
    own ?? (owner.type === 'Organization' ? await findOrganization(tx, { id: owner.id }) : undefined);
  return {
    ...(found && { repository: repositoryInPayload(found, base) }),
    ...(organization && { organization: organizationInPayload(organization, base) }),
    sender: userInPayload(ownerOfAccount(accountOf(caller)), base),
  };
}

/** The ping of a new app; none where its webhook is off. */
export async function enqueueAppPing(
  { db: tx, actor: { now } }: ChangeTransaction,
  app: HostApp,
  owner: RepositoryOwner,
  base: string,
): Promise<void> {
  const hook = hookOfApp(app);
  if (!hook.isActive) return;
  const url = `${base}/app/hook`;
  const payload = {
    zen: PROVERBS[now % PROVERBS.length],
    hook_id: hook.number,
    hook: {
      type: 'App',
      id: hook.number,
      name: 'web',
      active: true,
      events: hook.events,
      config: toHookConfig(hook.config),
      updated_at: isoSeconds(app.updatedAt),
      created_at: isoSeconds(app.createdAt),
      app_id: app.number,
      url: `${url}/config`,
      ping_url: `${url}/pings`,
      deliveries_url: `${url}/deliveries`,
    },
  };
  const delivery = {
    hook,
    guid: newCallId(),
    ownerId: owner.id,
    body: JSON.stringify(payload),
    event: 'ping',
    action: null,
    repository: null,
    isRedelivery: false,
  };
  await enqueueHookDeliveries(tx, [delivery], now);
}

/** The push of the last commit of the default branch, as if it had just happened. Nothing is sent where the hook does not ask for pushes, or the branch has no commit. */
export async function enqueueTest(
  kernel: Kernel,
  { hook, place: { found, owner }, caller }: AskedHook,
  now: number,
): Promise<void> {
  if (found === undefined || !asksFor(hook, 'push')) return;
  const { number, defaultBranch } = found.repository;
  const name = `refs/heads/${defaultBranch}`;
  const head = await kernel.services.git.repository(number).resolveCommit(name);
  if (head === undefined) return;
  const pusher = accountOf(caller);
  const move = { name, from: head.parents[0], to: head.oid, push: undefined };
  const details = await describeMove(kernel, number, move, { pusher, hasCommits: true });
  const organization =
    owner.type === 'Organization' ? await findOrganization(kernel.db, { id: owner.id }) : undefined;
  const event = {
    number: 0,
    at: now,
    name: 'push' as const,
    details,
    isPublic: !found.repository.isPrivate,
    snapshot: { repository: found, ...(organization && { organization }), sender: ownerOfAccount(pusher) },
  };
  const delivery = {
    hook,
    guid: newCallId(),
    ownerId: owner.id,
    body: JSON.stringify(buildPayload(event, kernel.publicUrl)),
    event: event.name,
    action: null,
    repository: number,
    isRedelivery: false,
  };
  await kernel.db.transaction().execute((tx) => enqueueHookDeliveries(tx, [delivery], now));
}
