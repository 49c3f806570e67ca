// Merges one commit into another as a new commit, with both as parents or squashed into one.
import type { GitPerson } from '../objects/commit-object.ts';
import { buildCommit } from '../objects/new-object.ts';
import type { GitRepository } from '../repository.ts';
import { checkNewTrees } from './check-trees.ts';
import { writeMergedTree, type MergeRefusal } from './merge-trees.ts';
import { addObject, inQuarantine, publishObjects, type QuarantinedTarget } from './quarantine.ts';

/** Throws where the commit must not come to the repository. `git` reads it already. */
export type NewCommitCheck = (commit: string, git: QuarantinedTarget) => Promise<void>;

export interface MergeOrder {
  /** The commit that is merged into: that of the base branch, or of the head that is brought up to date with it. */
  base: string;
  head: string;
  author: GitPerson;
  committer: GitPerson;
  message: string;
  check?: NewCommitCheck;
}

export type MergeResult = { kind: 'created'; commit: string; tree: string } | MergeRefusal;

/**
 * The commit is in the repository and durable once resolved, and no reference leads to it yet.
 * @throws {GitLimitExceeded}, {GitTimedOut}, or what `check` throws: then nothing is left behind.
 */
export function createMergeCommit(repository: GitRepository, order: MergeOrder): Promise<MergeResult> {
  return createCommit(repository, order, [order.base, order.head]);
}

/** As `createMergeCommit`; the history of `head` is no part of that of the new commit. */
export function createSquashCommit(repository: GitRepository, order: MergeOrder): Promise<MergeResult> {
  return createCommit(repository, order, [order.base]);
}

async function createCommit(
  repository: GitRepository,
  { base, head, author, committer, message, check }: MergeOrder,
  parents: readonly string[],
): Promise<MergeResult> {
  return await inQuarantine(repository, async (quarantined): Promise<MergeResult> => {
    const merged = await writeMergedTree(quarantined, base, head);
    if (merged.kind !== 'clean') return merged;
    const { tree } = merged;
    await checkNewTrees(repository, quarantined, [tree]);
    const commit = buildCommit({ tree, parents, author, committer, message });
    await addObject(quarantined, commit);
    await check?.(commit.oid, quarantined);
    await publishObjects(quarantined);
    return { kind: 'created', commit: commit.oid, tree };
  });
}
