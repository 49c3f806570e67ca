// An issue as rules know it. Pull requests are issues too: they share numbers, labels, comments and events.

export const ISSUE_STATES = ['open', 'closed'] as const;
export type IssueState = (typeof ISSUE_STATES)[number];

export const STATE_REASONS = ['completed', 'not_planned', 'duplicate', 'reopened'] as const;
export type StateReason = (typeof STATE_REASONS)[number];

export const LOCK_REASONS = ['off-topic', 'too heated', 'resolved', 'spam'] as const;
export type LockReason = (typeof LOCK_REASONS)[number];

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;
export type ReactionContent = (typeof REACTIONS)[number];
export type ReactionCounts = Partial<Record<ReactionContent, number>>;

export const MAX_TITLE_LENGTH = 256;
/** Of issues, pull requests, comments and reviews, in characters. */
export const MAX_BODY_LENGTH = 65_536;
export const MAX_LABELS = 100;
export const MAX_ASSIGNEES = 10;

/** Who wrote something. An account, or, where what was imported has an author without one, the name alone. */
export interface Author {
  id: string | null;
  name: string | null;
}

export interface Issue {
  /** Of all issues of the server. */
  id: number;
  repositoryNumber: number;
  /** Of the repository's issues and pull requests. */
  number: number;
  isPull: boolean;
  author: Author;
  title: string;
  body: string | null;
  state: IssueState;
  stateReason: StateReason | null;
  isLocked: boolean;
  lockReason: LockReason | null;
  milestoneId: number | null;
  commentCount: number;
  reactions: ReactionCounts;
  /** Of what it is a sub-issue. */
  parentId: number | null;
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  closedById: string | null;
}
