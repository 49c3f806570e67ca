// The test of a webhook: the push of the last commit of the default branch, as if it had just happened.
import { newCallId } from '../../kernel/id.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { findOrganization } from '../organizations/store.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { describeMove } from '../pushes/describe-move.ts';
import { enqueueHookDeliveries } from './enqueue-deliveries.ts';
import { asksFor } from './hook.ts';
import { buildPayload } from './payloads/build-payload.ts';
import type { AskedHook } from './ping.ts';

/** Nothing is sent where the hook does not ask for pushes, or the branch has no commit. */
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
