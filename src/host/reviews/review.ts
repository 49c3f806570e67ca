// A review of a pull request as rules know it: who has written it, about which commit, and what it decides.
import { Failure } from '../../kernel/failure.ts';
import type { Author } from '../issues/issue.ts';
import type { ReviewRequest } from '../pulls/store.ts';

/** Those that say whether the pull request may be merged: of each author the newest of these counts. */
const DECIDING_STATES = ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'] as const;

export const REVIEW_STATES = [...DECIDING_STATES, 'COMMENTED', 'PENDING'] as const;

export type ReviewState = (typeof REVIEW_STATES)[number];

export interface Review {
  id: number;
  /** The issue that the pull request is. */
  issueId: number;
  author: Author;
  /** While it is pending, it exists for its author alone. */
  state: ReviewState;
  body: string;
  /** The commit that was reviewed, which need not be the head of today. */
  commitId: string | null;
  createdAt: number;
  /** Null while it is pending. */
  submittedAt: number | null;
  updatedAt: number;
}

/** A pending review does not exist for others. */
export function isVisibleTo({ state, author }: Review, accountId: string | undefined): boolean {
  return state !== 'PENDING' || (author.id !== null && author.id === accountId);
}

export function reviewNotFound(): Failure {
  return new Failure('not-found', 'There is no such review');
}

/** Who is asked to review: an account, or the number of a team. */
export type Reviewer = Pick<ReviewRequest, 'kind' | 'reviewer'>;

/** Users and teams that a pull request waits for. */
export const MAX_REQUESTED = 15;
