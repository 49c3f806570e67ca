// What the rows of timelines hold beside their actor and time, by event: one table for those who insert rows, and for replies.
import type { GitCommit } from '../git/objects/commit-object.ts';

/** Something that happened to an issue. */
export interface IssueEvent {
  id: number;
  issueId: number;
  event: string;
  actor: { id: string | null; name: string | null };
  commitId: string | null;
  subjectId: number | null;
  details: Record<string, unknown>;
  createdAt: number;
}

/**
 * How a member of the reply is made. `plain` stands in `details` under the same name, as it is shown; `account` is an
 * account's id there and `team` a team's number; `issue` is the issue whose id is the row's `subject_id`.
 */
export type MemberKind = 'plain' | 'account' | 'team' | 'issue';

type Members = Readonly<Record<string, MemberKind>>;

const LABEL: Members = { label: 'plain' };
const MILESTONE: Members = { milestone: 'plain' };
const STATE: Members = { state_reason: 'plain' };
const LOCK: Members = { lock_reason: 'plain' };
const ASSIGNMENT: Members = { assignee: 'account', assigner: 'account' };
const REVIEW_REQUEST: Members = {
  review_requester: 'account',
  requested_reviewer: 'account',
  requested_team: 'team',
};

/**
 * The members of events beside the common ones. What is not in `details` is left out of the reply. Events that are not in
 * the table have the common members alone: `referenced` and `merged` (with `commit_id`), `mentioned`, `subscribed`,
 * `head_ref_deleted`, `head_ref_restored`, `head_ref_force_pushed`, `base_ref_changed`, `ready_for_review`,
 * `convert_to_draft` and the like.
 */
export const EVENT_MEMBERS: Readonly<Record<string, Members>> = {
  labeled: LABEL,
  unlabeled: LABEL,
  milestoned: MILESTONE,
  demilestoned: MILESTONE,
  renamed: { rename: 'plain' },
  closed: STATE,
  reopened: STATE,
  locked: LOCK,
  unlocked: LOCK,
  assigned: ASSIGNMENT,
  unassigned: ASSIGNMENT,
  review_requested: REVIEW_REQUEST,
  review_request_removed: REVIEW_REQUEST,
  review_dismissed: { dismissed_review: 'plain' },
  issue_type_added: { issue_type: 'plain' },
  issue_type_removed: { issue_type: 'plain', prev_issue_type: 'plain' },
  issue_type_changed: { issue_type: 'plain', prev_issue_type: 'plain' },
  sub_issue_added: { sub_issue: 'issue' },
  sub_issue_removed: { sub_issue: 'issue' },
  parent_issue_added: { parent_issue: 'issue' },
  parent_issue_removed: { parent_issue: 'issue' },
  blocked_by_added: { blocked_by: 'issue' },
  blocked_by_removed: { blocked_by: 'issue' },
  blocking_added: { blocking: 'issue' },
  blocking_removed: { blocking: 'issue' },
};

export type TimelineSubjectKind = 'comment' | 'review' | 'thread' | 'issue';

/**
 * Events that are shown in a shape of their own, in timelines alone, and what their `subject_id` names: their rows have
 * `is_listed` 0. The row of a review is inserted when it is submitted; comments of pending reviews are left out of a thread.
 * `committed` and `commit-commented` have such shapes too, with `commit_id` and the details below.
 */
export const SUBJECTS: Readonly<Record<string, TimelineSubjectKind>> = {
  commented: 'comment',
  reviewed: 'review',
  'line-commented': 'thread',
  /** Whose text has the reference. */
  'cross-referenced': 'issue',
};

/** Who sees such a row sees the issue that its `subject_id` names; for others it does not exist. */
export const EVENTS_ABOUT_ISSUES: readonly string[] = [
  'cross-referenced',
  ...Object.entries(EVENT_MEMBERS).flatMap(([event, members]) =>
    Object.values(members).includes('issue') ? [event] : [],
  ),
];

/** The details of `committed`: a commit that a later push has removed stays in the timeline. */
export type CommitInTimeline = Pick<
  GitCommit,
  'tree' | 'parents' | 'author' | 'committer' | 'message' | 'signed'
>;

/** The details of `commit-commented`. */
export interface CommitCommentsInTimeline {
  comments: {
    id: number;
    body: string;
    path: string | null;
    position: number | null;
    line: number | null;
    /** An account. */
    user: string | null;
    created_at: number;
    updated_at: number;
  }[];
}
