// Repeats the commits of a branch on another commit, one after the other, as new commits of the same authors.
import { Failure } from '../../../kernel/failure.ts';
import { listMissingCommitIds } from '../history/history.ts';
import type { GitCommit, GitPerson } from '../objects/commit-object.ts';
import { buildCommit } from '../objects/new-object.ts';
import { GitTimedOut } from '../process/process-limits.ts';
import type { GitRepository } from '../repository.ts';
import { checkNewTrees } from './check-trees.ts';
import type { NewCommitCheck } from './create-merge.ts';
import { writeMergedTree, type MergedTrees } from './merge-trees.ts';
import {
  addObject,
  inQuarantine,
  publishObjects,
  removeObjects,
  type QuarantinedTarget,
} from './quarantine.ts';

export interface RebaseOrder {
  base: string;
  head: string;
  /** Of all new commits; authors and their dates stay. */
  committer: GitPerson;
  check?: NewCommitCheck;
}

export type RebaseResult =
  /** `commits` are those that were repeated, the oldest first: none where `base` has all their changes. */
  | { kind: 'created'; commit: string; commits: { from: string; to: string }[] }
  | { kind: 'conflicts'; commit: string; paths: string[] }
  | { kind: 'unrelated' }
  /** One of the commits is a merge. */
  | { kind: 'merges' }
  | { kind: 'too-many' };

/** As many as the list of commits of a pull request has. */
export const MAX_REBASED_COMMITS = 250;

/**
 * The commits are in the repository and durable once resolved, and no reference leads to them yet. A commit without
 * changes, or whose changes `base` has, is left out.
 * @throws {GitLimitExceeded}, {GitTimedOut}, or what `check` throws: then nothing is left behind.
 */
export async function rebaseCommits(
  repository: GitRepository,
  { base, head, committer, check }: RebaseOrder,
): Promise<RebaseResult> {
  const range = await readRange(repository, base, head);
  if (!Array.isArray(range)) return range;
  return await inQuarantine(repository, async (quarantined): Promise<RebaseResult> => {
    const repeated = await repeatCommits(repository, quarantined, { base, range, committer });
    if (repeated.kind !== 'created') return repeated;
    const { commit, commits, trees, steps } = repeated;
    if (commits.length === 0) return { kind: 'created', commit, commits };
    await removeObjects(quarantined, steps);
    await checkNewTrees(repository, quarantined, trees);
    await check?.(commit, quarantined);
    await publishObjects(quarantined);
    return { kind: 'created', commit, commits };
  });
}

/**
 * Whether `rebaseCommits` would come to its end. Nothing is left behind. The caller knows that both can be merged.
 * @throws {GitLimitExceeded} or {GitTimedOut}, the latter where all commits together take longer than `maxMs`, too.
 */
export async function canRebase(
  repository: GitRepository,
  { base, head, committer, maxMs }: Omit<RebaseOrder, 'check'> & { maxMs: number },
): Promise<boolean> {
  const range = await readRange(repository, base, head);
  if (!Array.isArray(range)) return false;
  // A single commit is repeated as it is merged, and commits that come after the base already are repeated as they are.
  if (range.length <= 1 || range[0]!.parents[0] === base) return true;
  const until = performance.now() + maxMs;
  return await inQuarantine(repository, async (quarantined) => {
    const repeated = await repeatCommits(repository, quarantined, { base, range, committer, until });
    return repeated.kind === 'created';
  });
}

interface Repetition {
  base: string;
  /** The oldest first. */
  range: readonly GitCommit[];
  committer: GitPerson;
  /** When to stop, by the clock of `performance`. */
  until?: number;
}

type RepeatedCommits = Extract<RebaseResult, { kind: 'created' }> & {
  trees: string[];
  /** Commits that only the repetition needs. */
  steps: Set<string>;
};

/** In the quarantine. */
async function repeatCommits(
  repository: GitRepository,
  quarantined: QuarantinedTarget,
  { base, range, committer, until = Infinity }: Repetition,
): Promise<RepeatedCommits | Exclude<RebaseResult, { kind: 'created' }>> {
  const commits: { from: string; to: string }[] = [];
  const trees: string[] = [];
  const steps = new Set<string>();
  const onto = await requireCommit(repository, base);
  let tip = { oid: onto.oid, tree: onto.tree };
  for (const commit of range) {
    if (performance.now() > until) throw new GitTimedOut('rebase');
    const parent = await requireCommit(repository, commit.parents[0]!);
    const picked = await pick(quarantined, commit, { parent, tree: tip.tree, committer, steps });
    if (picked.kind === 'conflicts') return { ...picked, commit: commit.oid };
    if (picked.kind !== 'clean') return picked;
    if (picked.tree === tip.tree) continue;
    const repeated = buildCommit({
      tree: picked.tree,
      parents: [tip.oid],
      author: namedAuthor(commit.author),
      committer,
      message: commit.message,
    });
    await addObject(quarantined, repeated);
    commits.push({ from: commit.oid, to: repeated.oid });
    trees.push(picked.tree);
    tip = { oid: repeated.oid, tree: picked.tree };
  }
  return { kind: 'created', commit: tip.oid, commits, trees, steps };
}

/** The commits to repeat, the oldest first. Without merges they are one line. */
async function readRange(
  repository: GitRepository,
  base: string,
  head: string,
): Promise<GitCommit[] | Extract<RebaseResult, { kind: 'unrelated' | 'merges' | 'too-many' }>> {
  const limit = MAX_REBASED_COMMITS + 1;
  const oids = await listMissingCommitIds(repository, { tip: head, without: [base], limit });
  if (oids.length === limit) return { kind: 'too-many' };
  const commits: GitCommit[] = [];
  for (const oid of oids.reverse()) {
    const commit = await requireCommit(repository, oid);
    if (commit.parents.length > 1) return { kind: 'merges' };
    if (commit.parents.length === 0) return { kind: 'unrelated' };
    commits.push(commit);
  }
  return commits;
}

interface Pick {
  parent: GitCommit;
  /** Of the commit that this one comes after. */
  tree: string;
  committer: GitPerson;
  /** Gets the ids of commits that only this needs. */
  steps: Set<string>;
}

/**
 * The tree with the changes of one commit. `merge-tree` of old versions finds the base of a merge by itself, so a commit
 * with the tree and the parent that it has to find stands for the other side.
 */
async function pick(
  target: QuarantinedTarget,
  commit: GitCommit,
  { parent, tree, committer, steps }: Pick,
): Promise<MergedTrees> {
  if (parent.tree === tree) return { kind: 'clean', tree: commit.tree };
  const step = buildCommit({
    tree,
    parents: [parent.oid],
    author: committer,
    committer,
    message: 'A step of a rebase\n',
  });
  await addObject(target, step);
  steps.add(step.oid);
  return await writeMergedTree(target, step.oid, commit.oid);
}

/** Commits of others may have no name, which new ones must have. */
function namedAuthor(author: GitPerson): GitPerson {
  return { ...author, name: author.name || author.email || 'unknown' };
}

async function requireCommit(repository: GitRepository, oid: string): Promise<GitCommit> {
  const commit = await repository.readCommit(oid);
  if (commit === undefined) throw new Failure('invalid', `There is no commit ${oid} in the repository.`);
  return commit;
}
