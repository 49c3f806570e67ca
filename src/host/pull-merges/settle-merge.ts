// Ends a pull request whose merge has begun, once its commit is on the base: after a crash, or before the call that merged comes to it.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isAncestor } from '../git/history/history.ts';
import type { GitRepository } from '../git/repository.ts';
import { listOwners } from '../owners/store.ts';
import { closeByIntent } from '../pulls/change-pull.ts';
import { readBranch } from '../pulls/pull-git.ts';
import { FOLLOW_PUSH } from '../pulls/schedule-work.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import type { MergeIntent } from './store.ts';

/** False where the base has not moved to the commit: the merge may go on, was refused, or ended with its server. */
export async function settleMerge(kernel: Kernel, intent: MergeIntent): Promise<boolean> {
  const { db, services, changes, clock } = kernel;
  const git = services.git.repository(intent.repositoryNumber);
  if (!(await hasReached(git, intent))) return false;
  const repository = await findRepositoryByNumber(db, intent.repositoryNumber);
  const owner = repository && (await listOwners(db, [repository.ownerId])).get(repository.ownerId);
  if (repository === undefined || owner === undefined) return true;
  const now = clock.now();
  const caller = await findMerger(kernel, intent.mergedById, now);
  const actor = systemActor({ now, id: FOLLOW_PUSH, ...(caller && { caller }) });
  await changes.run(actor, (tx) => closeByIntent(tx, { repository, owner }, intent, { dueAt: now }));
  return true;
}

/** Objects of a merge that was refused are gone some day. */
async function hasReached(git: GitRepository, { commitId, state }: MergeIntent): Promise<boolean> {
  const base = await readBranch(git, state.baseRef);
  if (base === undefined || (await git.readInfo(commitId)) === undefined) return false;
  return await isAncestor(git, commitId, base);
}

/** Who has merged, with the permissions that they have now. The account of an app has none outside of its own calls. */
export async function findMerger(
  { db, identity }: Kernel,
  accountId: string,
  now: number,
): Promise<KnownCaller | undefined> {
  const caller = await identity.callerOfAccount(db, accountId, now);
  if (caller !== undefined) return caller;
  const account = (await listAccounts(db, [accountId])).get(accountId);
  return account && { kind: 'token', member: { ...account, customRoles: [] }, account, grants: [] };
}
