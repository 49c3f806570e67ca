// The tables of pull requests, and of reviews of them.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    pulls: PullRow;
    /** Pull requests of which it is to be found out whether they can be merged. */
    merge_checks: { issue_id: number; repository_number: number; asked_at: number };
    /** `reviewer` is an account, or the number of a team. */
    requested_reviewers: { issue_id: number; kind: string; reviewer: string; position: number };
    reviews: ReviewRow;
    review_threads: ReviewThreadRow;
    review_comments: ReviewCommentRow;
  }
}

export interface PullRow {
  /** The issue that it is. */
  issue_id: number;
  /** The repository that it is to be merged into, and its number there. */
  repository_number: number;
  number: number;
  /** Names of branches, without `refs/heads/`, and the commits that they had when they were last looked at. */
  base_ref: string;
  base_sha: string;
  /** Null where the repository is gone. */
  head_repository_number: number | null;
  head_owner_id: string | null;
  head_ref: string;
  head_sha: string;
  is_draft: number;
  may_maintainer_modify: number;
  /** Null until it is known, for `head_sha` and `checked_base`. */
  mergeable: number | null;
  rebaseable: number | null;
  checked_base: string | null;
  test_merge_sha: string | null;
  merged_at: number | null;
  merged_by_id: string | null;
  merge_commit_sha: string | null;
  commit_count: number;
  additions: number;
  deletions: number;
  changed_files: number;
  review_comment_count: number;
  /** Both branches, while it is open. */
  open_key: string | null;
  /** Who pushed the head, or opened the pull request with it; null where it is not known. */
  head_pusher_id: Generated<string | null>;
}

export interface ReviewRow {
  id: Generated<number>;
  issue_id: number;
  author_id: string | null;
  author_name: string | null;
  state: string;
  body: string;
  commit_id: string | null;
  created_at: number;
  /** Null while it is pending. */
  submitted_at: number | null;
  updated_at: number;
}

export interface ReviewThreadRow {
  id: Generated<number>;
  issue_id: number;
  is_resolved: number;
  resolved_by_id: string | null;
}

export interface ReviewCommentRow {
  id: Generated<number>;
  issue_id: number;
  repository_number: number;
  review_id: number;
  thread_id: number;
  in_reply_to: number | null;
  author_id: string | null;
  author_name: string | null;
  body: string;
  reactions: string;
  path: string;
  /** `line` or `file`. */
  subject_type: string;
  diff_hunk: string;
  /** Null where the line is not in the difference any more. */
  side: string | null;
  line: number | null;
  start_side: string | null;
  start_line: number | null;
  position: number | null;
  original_line: number | null;
  original_start_line: number | null;
  original_position: number | null;
  commit_id: string;
  original_commit_id: string;
  /** Whether its review is pending: only its author sees it. */
  is_pending: number;
  created_at: number;
  updated_at: number;
}
