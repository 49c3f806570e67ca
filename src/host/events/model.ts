// Events as rules know them: what happened, in the words of webhooks, and what was there then.
import type { Organization, OrganizationRole } from '../organizations/model.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Installation } from '../apps/app.ts';
import type { GitCommit } from '../git/objects/commit-object.ts';
import type { ScanningAlert } from '../code-scanning/alert.ts';
import type { ShownComment } from '../issue-comments/model.ts';
import type { ShownIssue } from '../issues/model.ts';
import type { IssueEventDetails } from '../issues/record-actions.ts';
import type { Label } from '../labels/model.ts';
import type { ShownMilestone } from '../milestones/model.ts';
import type { ShownPull } from '../pulls/model.ts';
import type { ShownReviewComment } from '../review-comments/model.ts';
import type { ShownReview } from '../reviews/model.ts';
import type { StatusState } from '../statuses/model.ts';
import type { OrganizationTeam } from '../teams/model.ts';

export type HostEventName =
  | 'push'
  | 'create'
  | 'delete'
  | 'repository'
  | 'public'
  | 'fork'
  | 'star'
  | 'watch'
  | 'member'
  | 'organization'
  | 'team'
  | 'team_add'
  | 'membership'
  | 'branch_protection_rule'
  | 'status'
  | 'issues'
  | 'issue_comment'
  | 'label'
  | 'milestone'
  | 'sub_issues'
  | 'issue_dependencies'
  | 'pull_request'
  | 'pull_request_review'
  | 'pull_request_review_comment'
  | 'pull_request_review_thread'
  | 'code_scanning_alert'
  | 'installation'
  | 'installation_repositories';

/** What happened. JSON. `action` where that event has actions. */
export interface HostEvent {
  name: HostEventName;
  action?: string;
  /**
   * The members of the webhook's payload beside action, repository, organization and sender. Users, teams and repositories
   * in it are what `EventDetails` says: payloads are made from them, with the server's address.
   */
  details: Record<string, unknown>;
}

export interface EventPlace {
  /** After the change; before it where it is deleted. */
  found?: FoundRepository;
  /** Read by the owner of the repository where it is not given. */
  organization?: Organization;
}

/** What was there when it happened, so that payloads can be made when it is gone. */
export interface EventSnapshot {
  repository?: FoundRepository;
  organization?: Organization;
  /** The repository's owner or the organization, where the program itself or its operator did it. */
  sender: RepositoryOwner;
}

/** An event that was recorded. */
export interface RecordedEvent extends HostEvent {
  number: number;
  at: number;
  isPublic: boolean;
  snapshot: EventSnapshot;
}

export interface TeamInEvent extends OrganizationTeam {
  parent: OrganizationTeam | null;
}

interface From<T> {
  from: T;
}

/** The details of the events that are recorded beside pushes and rules, by name, and by action where it matters. */
export interface EventDetails {
  'repository.created': Record<string, never>;
  'repository.deleted': Record<string, never>;
  'repository.archived': Record<string, never>;
  'repository.unarchived': Record<string, never>;
  'repository.publicized': Record<string, never>;
  'repository.privatized': Record<string, never>;
  'repository.edited': {
    changes: {
      description?: From<string | null>;
      homepage?: From<string | null>;
      default_branch?: From<string>;
      topics?: From<string[]>;
    };
  };
  'repository.renamed': { changes: { repository: { name: From<string> } } };
  'repository.transferred': {
    changes: { owner: From<{ user?: RepositoryOwner; organization?: RepositoryOwner }> };
  };
  public: Record<string, never>;
  fork: { forkee: FoundRepository };
  'star.created': { starred_at: string };
  'star.deleted': { starred_at: null };
  'watch.started': Record<string, never>;
  /** Webhooks tell of no other permissions. */
  'member.added': { member: RepositoryOwner; changes?: { permission: { to: 'write' | 'admin' } } };
  'member.edited': { member: RepositoryOwner; changes: { old_permission: From<string> } };
  'member.removed': { member: RepositoryOwner };
  'organization.member_added': { membership: MembershipInEvent };
  'organization.member_removed': { membership: MembershipInEvent };
  'organization.deleted': Record<string, never>;
  'team.created': { team: TeamInEvent };
  'team.deleted': { team: TeamInEvent };
  'team.edited': {
    team: TeamInEvent;
    changes: {
      name?: From<string>;
      description?: From<string>;
      privacy?: From<string>;
      notification_setting?: From<string>;
      repository?: { permissions: From<{ admin?: boolean; push?: boolean; pull?: boolean }> };
    };
  };
  'team.added_to_repository': { team: TeamInEvent };
  'team.removed_from_repository': { team: TeamInEvent };
  team_add: { team: TeamInEvent };
  'membership.added': { scope: 'team'; member: RepositoryOwner; team: TeamInEvent };
  'membership.removed': { scope: 'team'; member: RepositoryOwner; team: TeamInEvent };
  status: {
    id: number;
    sha: string;
    target_url: string | null;
    context: string;
    description: string | null;
    state: StatusState;
    created_at: string;
    updated_at: string;
    commit: Pick<GitCommit, 'oid' | 'tree' | 'parents' | 'author' | 'committer' | 'message'>;
  };
  issues: IssueEventDetails;
  pull_request: { pull: ShownPull } & Pick<IssueEventDetails, 'label' | 'assignee'>;
  'issue_comment.created': { issue: ShownIssue; comment: ShownComment };
  'issue_comment.edited': {
    issue: ShownIssue;
    comment: ShownComment;
    changes: { body: From<string> };
  };
  'issue_comment.deleted': { issue: ShownIssue; comment: ShownComment };
  'label.created': { label: Label };
  /** Where there was none, `from` is empty. */
  'label.edited': {
    label: Label;
    changes: { name?: From<string>; color?: From<string>; description?: From<string> };
  };
  'label.deleted': { label: Label };
  'milestone.created': { milestone: ShownMilestone };
  /** Where there was none, `from` is empty. */
  'milestone.edited': {
    milestone: ShownMilestone;
    changes: { title?: From<string>; description?: From<string>; due_on?: From<string> };
  };
  'milestone.closed': { milestone: ShownMilestone };
  'milestone.opened': { milestone: ShownMilestone };
  'milestone.deleted': { milestone: ShownMilestone };
  /** Of the parent's repository where a sub-issue is added or removed, and of the sub-issue's where a parent is. */
  sub_issues: { parent: IssueInEvent; subIssue: IssueInEvent };
  /** Of the blocked issue's repository with the actions `blocked_by_…`, and of the other's with `blocking_…`. */
  issue_dependencies: { blocked: IssueInEvent; blocking: IssueInEvent };
  pull_request_review: { pull: ShownPull; review: ShownReview; changes?: { body: From<string> } };
  pull_request_review_comment: {
    pull: ShownPull;
    comment: ShownReviewComment;
    changes?: { body: From<string> };
  };
  /** With its first comments. */
  pull_request_review_thread: {
    pull: ShownPull;
    thread: { id: number; comments: ShownReviewComment[] };
  };
  code_scanning_alert: {
    alert: ScanningAlert;
    dismissedBy: RepositoryOwner | null;
    /** Empty where a person did it. */
    ref: string;
    commit_oid: string;
  };
}

/** An issue with its repository, where an event is about issues of two. */
export interface IssueInEvent {
  issue: ShownIssue;
  found: FoundRepository;
}

/** The details of both events of an installation. */
export interface InstallationInEvent {
  app: { number: number; slug: string; clientId: string };
  installation: Installation;
  account: RepositoryOwner;
  suspendedBy: RepositoryOwner | null;
  repositories: { number: number; name: string; isPrivate: boolean }[];
}

export interface MembershipInEvent {
  user: RepositoryOwner;
  role: OrganizationRole;
  state: 'active';
}
