// Brings a branch of a fork up to date with the branch of the same name in the repository that it is a fork of.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { isAncestor } from '../git/history/history.ts';
import { mergeTrees } from '../git/merge/merge-trees.ts';
import { isBranchName } from '../git/refs/revision.ts';
import { checkOnGit } from '../protection/check-ref-changes.ts';
import { branchRef } from '../pulls/pull.ts';
import { bringCommits, readBranch, targetOf } from '../pulls/pull-git.ts';
import { changeRefs } from '../pushes/push.ts';
import { findRepositoryNamed, type FoundRepository } from '../repositories/access.ts';
import { mayRead } from '../repositories/visibility.ts';
import { mergeIntoBranch, retryMoved } from './merge-branch.ts';

export type SyncKind = 'fast-forward' | 'merge' | 'none';

export interface SyncedFork {
  kind: SyncKind;
  /** The owner and the branch of the other repository. */
  upstream: string;
}

type SyncActor = { caller: KnownCaller; now: number };

export async function syncFork(
  kernel: Kernel,
  actor: SyncActor,
  fork: FoundRepository,
  branch: string,
): Promise<SyncedFork> {
  const parent = await findParent(kernel, actor, fork);
  const upstream = `${parent.owner.login}:${branch}`;
  const kind = await retryMoved(() => syncOnce(kernel, actor, { fork, parent, branch, upstream }));
  return { kind, upstream };
}

/** One that the caller may not read is reported as none: they must not learn of it. */
async function findParent(
  kernel: Kernel,
  { caller, now }: SyncActor,
  { repository: { parentNumber } }: FoundRepository,
): Promise<FoundRepository> {
  const params = { repository_id: parentNumber };
  const parent = parentNumber === null ? undefined : await findRepositoryNamed(kernel, { params, now });
  if (parent === undefined || !(await mayRead(kernel.db, caller, parent)))
    throw new Failure('invalid', 'The repository is not a fork, or there is no repository above it');
  return parent;
}

interface Sync {
  fork: FoundRepository;
  parent: FoundRepository;
  branch: string;
  upstream: string;
}

/** Nothing is copied before it is known that it can be merged. */
async function syncOnce(
  kernel: Kernel,
  actor: SyncActor,
  { fork, parent, branch, upstream }: Sync,
): Promise<SyncKind> {
  const git = kernel.services.git.repository(fork.repository.number);
  const source = kernel.services.git.repository(parent.repository.number);
  const ref = branchRef(branch);
  const from = isBranchName(branch) ? await readBranch(git, branch) : undefined;
  if (from === undefined) throw problem('branch', 'does not exist');
  const head = await readBranch(source, branch);
  if (head === undefined)
    throw problem('branch', `does not exist in ${parent.owner.login}/${parent.repository.name}`);
  const both = targetOf(git, source);
  if (await isAncestor(both, head, from)) return 'none';
  const isForward = await isAncestor(both, from, head);
  if (!isForward && (await mergeTrees(both, from, head)).kind !== 'clean') throw conflicts();
  await bringCommits(kernel, git, source, { head, base: from });
  if (isForward) {
    await checkOnGit(kernel, fork, actor.caller, { isForkSync: true })({ name: ref, from, to: head });
    await changeRefs(kernel, actor, fork, [{ name: ref, from, to: head }]);
    return 'fast-forward';
  }
  const message = `Merge branch '${upstream}' into ${branch}\n`;
  const merge = { ref, from, head, message, isForkSync: true };
  const { kind } = await mergeIntoBranch(kernel, actor, fork, merge);
  if (kind !== 'created') throw conflicts();
  return 'merge';
}

function conflicts(): Failure {
  return new Failure('conflict', 'There are merge conflicts');
}
