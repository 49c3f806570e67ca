// What feeds keep of an event: far less than webhooks receive, so that a page of them is small.
import type { Label } from '../labels/model.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import type { Repository } from '../repositories/repository.ts';
import type { EventDetails, HostEvent } from './model.ts';

/** As feeds show it, without addresses. */
export type FeedEntry =
  | PushEntry
  | CreateEntry
  | { type: 'DeleteEvent'; ref: string; ref_type: string; pusher_type: string }
  | { type: 'ForkEvent'; /** The number of the new repository. */ forkee: number }
  | { type: 'WatchEvent'; action: 'started' }
  | { type: 'MemberEvent'; action: 'added'; member: RepositoryOwner }
  | { type: 'PublicEvent' }
  | IssueEntry
  | PullEntry
  | ReviewEntry
  | ReviewCommentEntry
  | CommentEntry;

export interface CreateEntry {
  type: 'CreateEvent';
  ref: string | null;
  ref_type: string;
  master_branch: string;
  description: string | null;
  pusher_type: string;
}

export interface PushEntry {
  type: 'PushEvent';
  ref: string;
  head: string;
  before: string;
  size: number;
  distinct_size: number;
  commits: { sha: string; author: { email: string; name: string }; message: string; distinct: boolean }[];
}

/** What people do often and to little effect, such as locking, only webhooks receive. */
export const ISSUE_FEED_ACTIONS = [
  'opened',
  'closed',
  'reopened',
  'labeled',
  'unlabeled',
  'assigned',
  'unassigned',
] as const;

/** The issue itself is read when the event is shown. */
export interface IssueEntry {
  type: 'IssuesEvent';
  action: (typeof ISSUE_FEED_ACTIONS)[number];
  /** Its id. */
  issue: number;
  label?: Label;
  /** The id of the account. */
  assignee?: string;
}

/** A pull request that is closed because it is merged has an action of its own, as feeds do not show whether it is. */
export const PULL_FEED_ACTIONS = [...ISSUE_FEED_ACTIONS, 'merged'] as const;

/** The pull request itself is read when the event is shown. */
export interface PullEntry extends Omit<IssueEntry, 'type' | 'action'> {
  type: 'PullRequestEvent';
  action: (typeof PULL_FEED_ACTIONS)[number];
}

/** Both are read when the event is shown. */
export interface ReviewEntry {
  type: 'PullRequestReviewEvent';
  action: 'created';
  /** Their ids. */
  issue: number;
  review: number;
}

/** Both are read when the event is shown. */
export interface CommentEntry {
  type: 'IssueCommentEvent';
  action: 'created';
  /** Their ids. */
  issue: number;
  comment: number;
}

/** Both are read when the event is shown. */
export interface ReviewCommentEntry {
  type: 'PullRequestReviewCommentEvent';
  action: 'created';
  /** Their ids. */
  issue: number;
  lineComment: number;
}

/** Undefined for events that only webhooks receive. */
export function feedEntryOf(event: HostEvent, repository: Repository): FeedEntry | undefined {
  const { name, action } = event;
  // The details are what the module that recorded the event promises for its name.
  const details = event.details as Record<string, string>;
  switch (name) {
    case 'push':
      return pushEntryOf(event.details as unknown as PushDetails);
    case 'create':
      return {
        type: 'CreateEvent',
        ref: details['ref']!,
        ref_type: details['ref_type']!,
        master_branch: repository.defaultBranch,
        description: repository.description,
        pusher_type: 'user',
      };
    case 'delete':
      return {
        type: 'DeleteEvent',
        ref: details['ref']!,
        ref_type: details['ref_type']!,
        pusher_type: 'user',
      };
    case 'repository':
      return action === 'created' ? createdEntryOf(repository) : undefined;
    case 'fork':
      return { type: 'ForkEvent', forkee: (event.details as EventDetails['fork']).forkee.repository.number };
    case 'watch':
      return { type: 'WatchEvent', action: 'started' };
    case 'member':
      if (action !== 'added') return undefined;
      return { type: 'MemberEvent', action, member: (event.details as EventDetails['member.added']).member };
    case 'public':
      return { type: 'PublicEvent' };
    case 'issues':
      return issueEntryOf(event);
    case 'pull_request':
      return pullEntryOf(event);
    case 'pull_request_review':
      return action === 'submitted' ? reviewEntryOf(event.details as never) : undefined;
    case 'pull_request_review_comment':
      return action === 'created' ? reviewCommentEntryOf(event.details as never) : undefined;
    case 'issue_comment':
      return action === 'created' ? commentEntryOf(event.details as never) : undefined;
    default:
      return undefined;
  }
}

function issueEntryOf({ action: name, details }: HostEvent): IssueEntry | undefined {
  const action = ISSUE_FEED_ACTIONS.find((one) => one === name);
  if (action === undefined) return undefined;
  const { issue, label, assignee } = details as unknown as EventDetails['issues'];
  return {
    type: 'IssuesEvent',
    action,
    issue: issue.issue.id,
    ...(label && { label }),
    ...(assignee && { assignee: assignee.id }),
  };
}

function pullEntryOf({ action: name, details }: HostEvent): PullEntry | undefined {
  const action = ISSUE_FEED_ACTIONS.find((one) => one === name);
  if (action === undefined) return undefined;
  const { pull, label, assignee } = details as unknown as EventDetails['pull_request'];
  const isMerged = action === 'closed' && pull.pull.mergedAt !== null;
  return {
    type: 'PullRequestEvent',
    action: isMerged ? 'merged' : action,
    issue: pull.pull.issueId,
    ...(label && { label }),
    ...(assignee && { assignee: assignee.id }),
  };
}

function reviewCommentEntryOf({
  pull,
  comment,
}: EventDetails['pull_request_review_comment']): ReviewCommentEntry {
  return {
    type: 'PullRequestReviewCommentEvent',
    action: 'created',
    issue: pull.pull.issueId,
    lineComment: comment.comment.id,
  };
}

function reviewEntryOf({ pull, review }: EventDetails['pull_request_review']): ReviewEntry {
  return {
    type: 'PullRequestReviewEvent',
    action: 'created',
    issue: pull.pull.issueId,
    review: review.review.id,
  };
}

function commentEntryOf({ issue, comment }: EventDetails['issue_comment.created']): CommentEntry {
  return {
    type: 'IssueCommentEvent',
    action: 'created',
    issue: issue.issue.id,
    comment: comment.comment.id,
  };
}

/** A fork is shown in the feed of what it was forked from. */
function createdEntryOf({ parentNumber, defaultBranch, description }: Repository): FeedEntry | undefined {
  if (parentNumber !== null) return undefined;
  return {
    type: 'CreateEvent',
    ref: null,
    ref_type: 'repository',
    master_branch: defaultBranch,
    description,
    pusher_type: 'user',
  };
}

/** The members of a push that feeds use. */
interface PushDetails {
  ref: string;
  before: string;
  after: string;
  deleted?: boolean;
  created?: boolean;
  /** Of all commits, where `commits` are fewer. */
  size?: number;
  commits?: {
    id: string;
    distinct?: boolean;
    message: string;
    author: { name: string; email?: string | null };
  }[];
}

const MAX_COMMITS = 20;
const MAX_MESSAGE_LENGTH = 1000;
const MAX_NAME_LENGTH = 200;

/** Tags, and branches that come without new commits or go, are shown as such and not as pushes. */
function pushEntryOf({ ref, before, after, deleted, created, size, commits = [] }: PushDetails) {
  if (!ref.startsWith('refs/heads/') || deleted === true) return undefined;
  if (created === true && commits.length === 0) return undefined;
  const isDistinct = ({ distinct = true }: { distinct?: boolean }) => distinct;
  return {
    type: 'PushEvent',
    ref,
    head: after,
    before,
    size: size ?? commits.length,
    distinct_size: commits.filter(isDistinct).length,
    commits: commits.slice(-MAX_COMMITS).map((commit) => ({
      sha: commit.id,
      author: {
        email: (commit.author.email ?? '').slice(0, MAX_NAME_LENGTH),
        name: commit.author.name.slice(0, MAX_NAME_LENGTH),
      },
      message: commit.message.slice(0, MAX_MESSAGE_LENGTH),
      distinct: isDistinct(commit),
    })),
  } satisfies PushEntry;
}
