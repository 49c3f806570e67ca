// The tables of issues, and of what belongs to them.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    issues: IssueRow;
    issue_facets: IssueFacetRow;
    /** `milestone_id` is that of the issue. */
    issue_labels: { issue_id: number; label_id: number; milestone_id: number | null };
    issue_assignees: { issue_id: number; account_id: string; position: number };
    issue_comments: IssueCommentRow;
    reactions: ReactionRow;
    issue_events: IssueEventRow;
    /** `blocker_id` must be closed before the issue can be. */
    issue_dependencies: { issue_id: number; blocker_id: number; created_at: number };
    labels: LabelRow;
    milestones: MilestoneRow;
    /** Commits that default branches have got, and the issues that their messages name. */
    commit_references: { issue_id: number; commit_id: string };
    rendered_texts: RenderedTextRow;
  }
}

export interface IssueRow {
  /** Of all issues of the server. */
  id: Generated<number>;
  repository_number: number;
  /** Of the repository's issues and pull requests. */
  number: number;
  is_pull: number;
  /** Null where the account is gone, or was never here: then there may be a name. */
  author_id: string | null;
  author_name: string | null;
  title: string;
  body: string | null;
  state: string;
  state_reason: string | null;
  is_locked: number;
  lock_reason: string | null;
  milestone_id: number | null;
  comment_count: number;
  /** How many there are of each, as JSON. */
  reactions: string;
  /** Of what it is a sub-issue, and where it stands there. */
  parent_id: number | null;
  parent_position: number | null;
  created_at: number;
  updated_at: number;
  closed_at: number | null;
  closed_by_id: string | null;
}

export interface IssueFacetRow {
  issue_id: number;
  /** See `lists/facets.ts`. */
  facet: string;
  repository_number: number;
  state: string;
  created_at: number;
  updated_at: number;
  comment_count: number;
}

export interface IssueCommentRow {
  id: Generated<number>;
  issue_id: number;
  repository_number: number;
  author_id: string | null;
  author_name: string | null;
  body: string;
  reactions: string;
  created_at: number;
  updated_at: number;
}

export interface ReactionRow {
  id: Generated<number>;
  /** That the subject belongs to. */
  issue_id: number;
  /** Such as `issue/7` or `comment/12`. */
  subject: string;
  account_id: string;
  content: string;
  created_at: number;
}

export interface IssueEventRow {
  id: Generated<number>;
  issue_id: number;
  repository_number: number;
  event: string;
  /** Whether lists of events show it; the timeline shows all. */
  is_listed: number;
  actor_id: string | null;
  actor_name: string | null;
  commit_id: string | null;
  /** The comment or review that it stands for. */
  subject_id: number | null;
  /** JSON. */
  details: string;
  created_at: number;
}

export interface LabelRow {
  id: Generated<number>;
  repository_number: number;
  name: string;
  folded_name: string;
  color: string;
  description: string | null;
  is_default: number;
}

export interface MilestoneRow {
  id: Generated<number>;
  repository_number: number;
  number: number;
  title: string;
  description: string | null;
  state: string;
  creator_id: string | null;
  creator_name: string | null;
  due_on: number | null;
  open_issue_count: number;
  closed_issue_count: number;
  /** In percent. */
  completeness: number;
  created_at: number;
  updated_at: number;
  closed_at: number | null;
}

export interface RenderedTextRow {
  /** A hash of the text and of what it was rendered for. */
  key: string;
  html: string;
  used_at: number;
}
