// A pull request as rules know it: the branch that it comes from, the branch that it is to be merged into, and what became of it.
import { Failure } from '../../kernel/failure.ts';

/** Beside what it has as an issue. */
export interface Pull {
  /** The issue that it is. */
  issueId: number;
  repositoryNumber: number;
  number: number;
  /** Branches, without `refs/heads/`, and the commits that they had when they were last looked at. */
  baseRef: string;
  baseSha: string;
  /** Null where the repository is gone. */
  headRepositoryNumber: number | null;
  headOwnerId: string | null;
  headRef: string;
  headSha: string;
  isDraft: boolean;
  mayMaintainerModify: boolean;
  /** Null until it is known, for `headSha` and `checkedBase`. */
  mergeable: boolean | null;
  rebaseable: boolean | null;
  checkedBase: string | null;
  testMergeSha: string | null;
  mergedAt: number | null;
  mergedById: string | null;
  mergeCommitSha: string | null;
  commitCount: number;
  additions: number;
  deletions: number;
  changedFiles: number;
  reviewCommentCount: number;
}

export const PULL_SORTS = ['created', 'updated', 'popularity', 'long-running'] as const;
export type PullSort = (typeof PULL_SORTS)[number];

const BRANCH = 'refs/heads/';

export function branchRef(name: string): string {
  return BRANCH + name;
}

/** Where `git fetch` finds the head of a pull request, whatever becomes of its branch. */
export function pullHeadRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/** Where `git fetch` finds what a merge would come to, while it is open and can be merged. */
export function pullMergeRef(number: number): string {
  return `refs/pull/${number}/merge`;
}

/** What was found out about merging holds for the commit that the pull request has, and for this one of its base. */
export function isChecked({ mergeable, checkedBase }: Pull, base: string | undefined): boolean {
  return mergeable !== null && checkedBase === base;
}

/** Nothing is known about merging. */
export const UNCHECKED = {
  mergeable: null,
  rebaseable: null,
  checkedBase: null,
  testMergeSha: null,
} as const satisfies Partial<Pull>;

/**
 * Names both branches: while one of the same branches is open, there is no other. A name of a branch has no colon. Branches of
 * repositories that are not here are all different.
 */
export function openKeyOf(
  pull: Pick<Pull, 'repositoryNumber' | 'baseRef' | 'headRepositoryNumber' | 'headRef'> &
    Partial<Pick<Pull, 'issueId'>>,
): string {
  const { repositoryNumber, baseRef, headRepositoryNumber, headRef, issueId } = pull;
  return `${repositoryNumber}:${baseRef}:${headRepositoryNumber ?? `of ${issueId}`}:${headRef}`;
}

/** In the words of `mergeable_state`. */
export type MergeableState = 'unknown' | 'draft' | 'dirty' | 'blocked' | 'behind' | 'unstable' | 'clean';

/** As far as the branches alone decide. */
export function mergeableStateOf({ isDraft, mergeable, mergedAt }: Pull): MergeableState {
  if (mergedAt !== null || mergeable === null) return 'unknown';
  if (!mergeable) return 'dirty';
  return isDraft ? 'draft' : 'clean';
}

/** An error in the words that clients of pull requests know; `field` where it is about one. */
export function pullRefused(message: string, field = '', code = 'custom'): Failure {
  return new Failure('invalid', `${field} ${message}`.trim(), { code, fields: [{ field, message }] });
}

export function alreadyOpen(headLabel: string): Failure {
  return pullRefused(`A pull request already exists for ${headLabel}.`);
}

export function closedBase(): Failure {
  return pullRefused('Cannot change the base branch of a closed pull request.', 'base', 'invalid');
}

/** The code of failures that clients know as 405. */
export const NOT_MERGEABLE = 'not_mergeable';

export function notMergeable(reason = 'Pull Request is not mergeable'): Failure {
  return new Failure('conflict', reason, { code: NOT_MERGEABLE });
}

export function pullNotFound(): Failure {
  return new Failure('not-found', 'There is no such pull request');
}
