// The row of a comment on a line as rules know it.
import type { Selectable } from 'kysely';
import type { ReactionCounts } from '../issues/issue.ts';
import type { ReviewCommentRow } from '../pulls/tables.ts';
import type { CommentSubjectType, DiffSide, ReviewComment } from './review-comment.ts';

export function commentFrom(row: Selectable<ReviewCommentRow> & { pull_number: number }): ReviewComment {
  return {
    id: row.id,
    issueId: row.issue_id,
    pullNumber: row.pull_number,
    repositoryNumber: row.repository_number,
    reviewId: row.review_id,
    threadId: row.thread_id,
    inReplyTo: row.in_reply_to,
    author: { id: row.author_id, name: row.author_name },
    body: row.body,
    reactions: JSON.parse(row.reactions) as ReactionCounts,
    path: row.path,
    subjectType: row.subject_type as CommentSubjectType,
    diffHunk: row.diff_hunk,
    side: row.side as DiffSide,
    line: row.line,
    startSide: row.start_side as DiffSide | null,
    startLine: row.start_line,
    position: row.position,
    originalLine: row.original_line,
    originalStartLine: row.original_start_line,
    originalPosition: row.original_position,
    commitId: row.commit_id,
    originalCommitId: row.original_commit_id,
    isPending: row.is_pending === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
