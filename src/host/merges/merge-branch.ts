// Merges a commit into a branch as a new commit of the caller, within the rules of the branch.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createMergeCommit, type MergeResult } from '../git/merge/create-merge.ts';
import { RefUpdateRefused } from '../git/refs/update-refs.ts';
import { personOf, serverPerson } from '../owners/model.ts';
import { checkOnGit } from '../protection/check-ref-changes.ts';
import { changeRefs } from '../pushes/push.ts';
import type { FoundRepository } from '../repositories/access.ts';

export interface BranchMerge {
  /** The full name of the branch, and the commit that it has. */
  ref: string;
  from: string;
  /** The commit that is merged into it, which the repository has. */
  head: string;
  message: string;
  /** Where `head` is of the repository above it. */
  isForkSync?: boolean;
}

/**
 * The objects come to the repository only where the rules of the branch allow the commit.
 * @throws {RefUpdateRefused} where the branch has moved meanwhile.
 */
export async function mergeIntoBranch(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  found: FoundRepository,
  { ref, from, head, message, isForkSync = false }: BranchMerge,
): Promise<MergeResult> {
  const merged = await createMergeCommit(kernel.services.git.repository(found.repository.number), {
    base: from,
    head,
    author: personOf(accountOf(actor.caller), actor.now),
    committer: serverPerson(actor.now),
    message,
    check: (commit, git) =>
      checkOnGit(kernel, found, actor.caller, { git, isForkSync })({ name: ref, from, to: commit }),
  });
  if (merged.kind === 'created')
    await changeRefs(kernel, actor, found, [{ name: ref, from, to: merged.commit }]);
  return merged;
}

const MAX_TRIES = 5;

/** Again where a push came first: `work` reads the branch anew. */
export async function retryMoved<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isMoved =
        error instanceof RefUpdateRefused && (error.reason === 'changed' || error.reason === 'locked');
      if (!isMoved || tries === MAX_TRIES) throw error;
    }
  }
}
