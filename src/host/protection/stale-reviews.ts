// Approvals become stale when a push changes what a pull request brings, where the rule of its base says so.
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { digestDifference } from '../git/history/changed-files.ts';
import { findMergeBase, type PullEnds } from '../git/merge/pull-changes.ts';
import { GitError } from '../git/process/git-process.ts';
import type { GitRepository } from '../git/repository.ts';
import type { Pull } from '../pulls/pull.ts';
import { findPull } from '../pulls/store.ts';
import type { Review } from '../reviews/review.ts';
import { findProtection } from './store.ts';

/**
 * Whether a push to the head makes them stale. One that brings the newest commits of the base does not, unless they touch the same files.
 * One indexed read where the base has no such rule.
 */
export async function makesApprovalsStale(
  db: Db,
  git: GitRepository,
  pull: Pull,
  next: PullEnds,
): Promise<boolean> {
  if (!(await dismissesStale(db, pull))) return false;
  const before = await digestOf(git, { base: pull.baseSha, head: pull.headSha });
  return before === undefined || before !== (await digestOf(git, next));
}

async function dismissesStale(db: Db, { repositoryNumber, baseRef }: Pull): Promise<boolean> {
  const protection = await findProtection(db, repositoryNumber, baseRef);
  return protection?.rule.reviews?.dismissStaleReviews === true;
}

/** What is known of an approval before the transaction that writes it, because git has to be asked. */
export interface JudgedApproval {
  /** The head of then. */
  headSha: string;
  isStale: boolean;
}

/** Whoever approves may have looked at an earlier commit: the push since then could not dismiss what was not there yet. */
export async function judgeApproval(
  db: Db,
  git: GitRepository,
  pull: Pull,
  commitId: string | null,
): Promise<JudgedApproval> {
  const { headSha, baseSha } = pull;
  if (commitId === headSha) return { headSha, isStale: false };
  if (commitId === null) return { headSha, isStale: await dismissesStale(db, pull) };
  const approved = { ...pull, headSha: commitId };
  const isStale = await makesApprovalsStale(db, git, approved, { base: baseSha, head: headSha });
  return { headSha, isStale };
}

/** In the transaction that writes the approval, which has locked the issue: the head does not move any more. */
export async function isApprovalStale(
  db: Db,
  { issueId, commitId }: Pick<Review, 'issueId' | 'commitId'>,
  judged: JudgedApproval,
): Promise<boolean> {
  const pull = await findPull(db, issueId);
  if (pull === undefined || commitId === pull.headSha) return false;
  return pull.headSha === judged.headSha ? judged.isStale : await dismissesStale(db, pull);
}

/** Undefined where git cannot compare them: commits are gone, or differ in too much. */
async function digestOf(git: GitRepository, ends: PullEnds): Promise<string | undefined> {
  try {
    const from = await findMergeBase(git, ends);
    return await digestDifference(git, { from, to: ends.head });
  } catch (error) {
    if (error instanceof GitError || error instanceof Failure) return undefined;
    throw error;
  }
}
