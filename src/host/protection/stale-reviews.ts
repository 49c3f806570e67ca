// Approvals become stale when a push changes what a pull request brings, where the rule of its base says so.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { digestDifference } from '../git/history/changed-files.ts';
import { findMergeBase, type PullEnds } from '../git/merge/pull-changes.ts';
import { GitError } from '../git/process/git-process.ts';
import type { GitRepository } from '../git/repository.ts';
import type { Issue } from '../issues/issue.ts';
import type { Pull } from '../pulls/pull.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { dismissReviews } from '../reviews/change-review.ts';
import type { Review } from '../reviews/review.ts';
import { listLatestReviews } from '../reviews/store.ts';
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
  const protection = await findProtection(db, pull.repositoryNumber, pull.baseRef);
  if (protection?.rule.reviews?.dismissStaleReviews !== true) return false;
  const before = await digestOf(git, { base: pull.baseSha, head: pull.headSha });
  return before === undefined || before !== (await digestOf(git, next));
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

/** In the transaction that moves the head to the commit, which has locked the issue. */
export async function dismissApprovals(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  commitId: string,
): Promise<void> {
  // Who has approved the new commit already was faster than due work.
  const isStale = (review: Review) => review.state === 'APPROVED' && review.commitId !== commitId;
  const approvals = (await listLatestReviews(tx.db, issue.id)).filter(isStale);
  await dismissReviews(tx, found, issue, approvals, { message: null, commitId });
}
