// The items of timelines, as the host API has them: comments, reviews, and what happened otherwise.
import type { Issue, IssueComment, Person } from './issue.ts';
import type { ReviewComment } from '../pulls/pull.ts';

interface IssueReference {
  number: number;
  title: string;
  repository: { full_name: string };
}

/** What happened, with the members that its kind has. */
export interface PlainEvent {
  id: number;
  event: string;
  actor: Person | null;
  created_at: string;
  commit_id?: string | null;
  label?: { name: string; color: string };
  assignee?: Person | null;
  milestone?: { title: string };
  rename?: { from: string; to: string };
  lock_reason?: string | null;
  state_reason?: string | null;
  requested_reviewer?: Person | null;
  requested_team?: { name: string };
  dismissed_review?: { dismissal_message: string | null };
  sub_issue?: IssueReference;
  parent_issue?: IssueReference;
  blocked_by?: IssueReference;
  blocking?: IssueReference;
}

export interface CommentItem extends IssueComment {
  event: 'commented';
}

export interface ReferenceItem {
  event: 'cross-referenced';
  actor: Person | null;
  created_at: string;
  source: { issue: Issue };
}

export interface CommitItem {
  event: 'committed';
  sha: string;
  message: string;
  author: { name: string; date: string };
}

export interface ReviewItem {
  event: 'reviewed';
  id: number;
  user: Person | null;
  body?: string;
  body_html?: string;
  state: string;
  submitted_at?: string;
}

export interface ThreadItem {
  event: 'line-commented';
  node_id: string;
  comments: ReviewComment[];
}

export type TimelineItem = PlainEvent | CommentItem | ReferenceItem | CommitItem | ReviewItem | ThreadItem;

/** What is no event of its own: it is told by another. */
const QUIET = new Set(['mentioned', 'subscribed', 'unsubscribed', 'commit-commented']);

export function isShown({ event }: TimelineItem): boolean {
  return !QUIET.has(event);
}

export function keyOfItem(item: TimelineItem, index: number): string {
  if (item.event === 'line-commented') return `thread ${(item as ThreadItem).node_id}`;
  if ('sha' in item) return `commit ${item.sha} ${index}`;
  return 'id' in item ? `${item.event} ${item.id}` : `${item.event} ${index}`;
}
