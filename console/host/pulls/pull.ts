// Pull requests, reviews, checks and comments on lines, as the host API has them.
import type { Issue, Person, ReactionCounts, Written } from '../issues/issue.ts';

export interface PullSide {
  label: string;
  ref: string;
  sha: string;
  /** Null where the repository is gone or not visible. */
  repo: { full_name: string; name: string; owner: Person; default_branch: string } | null;
}

export interface Pull extends Omit<Issue, 'pull_request' | 'repository'> {
  merged: boolean;
  merged_at: string | null;
  merged_by: Person | null;
  merge_commit_sha: string | null;
  mergeable: boolean | null;
  mergeable_state: string;
  draft: boolean;
  head: PullSide;
  base: PullSide;
  requested_reviewers: Person[];
  requested_teams: { name: string }[];
  commits: number;
  additions: number;
  deletions: number;
  changed_files: number;
  review_comments: number;
}

export type ReviewState = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';

export interface Review extends Written {
  id: number;
  user: Person | null;
  state: ReviewState;
  submitted_at?: string;
  commit_id: string | null;
}

export interface ReviewComment extends Written {
  id: number;
  in_reply_to_id?: number;
  pull_request_review_id: number;
  user: Person | null;
  path: string;
  side: 'LEFT' | 'RIGHT';
  /** Null where the line is not in the changes any more. */
  line: number | null;
  start_line: number | null;
  original_line: number | null;
  subject_type: 'line' | 'file';
  diff_hunk: string;
  commit_id: string;
  created_at: string;
  updated_at: string;
  reactions?: ReactionCounts;
}

/** What GraphQL alone says about a conversation on lines. */
export interface ThreadFacts {
  id: string;
  isResolved: boolean;
  isOutdated: boolean;
  resolvedBy: Person | null;
  viewerCanResolve: boolean;
  viewerCanUnresolve: boolean;
  comments: { nodes: { databaseId: number }[] };
}

export interface Thread {
  /** The first comment, and the replies to it. */
  comments: ReviewComment[];
  facts: ThreadFacts | undefined;
}

export interface CheckStatus {
  id: number;
  context: string;
  state: 'error' | 'failure' | 'pending' | 'success';
  description: string | null;
  target_url: string | null;
  updated_at: string;
}

export const MERGE_METHODS = ['merge', 'squash', 'rebase'] as const;
export type MergeMethod = (typeof MERGE_METHODS)[number];

export interface MergeCheck {
  isMergeable: boolean;
  method: MergeMethod;
  methods: MergeMethod[];
  /** How many commits of the base it does not have. */
  behindBy: number;
  headSha: string;
  reasons: { code: string; message: string }[];
}

/** Threads in the order of their first comments. */
export function threadsOf(comments: readonly ReviewComment[], facts: readonly ThreadFacts[]): Thread[] {
  const byFirst = new Map(facts.map((one) => [one.comments.nodes[0]?.databaseId, one]));
  const threads = new Map<number, ReviewComment[]>();
  for (const comment of comments) {
    const first = comment.in_reply_to_id ?? comment.id;
    threads.set(first, [...(threads.get(first) ?? []), comment]);
  }
  return [...threads].map(([first, all]) => ({ comments: all, facts: byFirst.get(first) }));
}

/** The last that each reviewer decided; comments decide nothing. */
export function verdictsOf(reviews: readonly Review[]): Review[] {
  const last = new Map<string, Review>();
  for (const review of reviews) {
    const { state, user } = review;
    if (user === null || state === 'PENDING') continue;
    const known = last.get(user.login);
    if (state !== 'COMMENTED' || known === undefined || known.state === 'COMMENTED')
      last.set(user.login, review);
  }
  return [...last.values()];
}

export function spotKey({ path, side, line }: { path: string; side: string; line: number }): string {
  return `${side} ${line} ${path}`;
}
