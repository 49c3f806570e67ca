// A comment on a line, a range of lines or a file of a pull request, as rules know it.
import { Failure } from '../../kernel/failure.ts';
import type { Author, ReactionCounts } from '../issues/issue.ts';

/** Of a difference: `LEFT` are the files before, `RIGHT` those after. */
export const DIFF_SIDES = ['LEFT', 'RIGHT'] as const;
export type DiffSide = (typeof DIFF_SIDES)[number];

export const SUBJECT_TYPES = ['line', 'file'] as const;
export type CommentSubjectType = (typeof SUBJECT_TYPES)[number];

/** More are not taken with one review. */
export const MAX_COMMENTS_AT_ONCE = 100;

/** What somebody wants to say, and about which line. A file has no line. */
export interface WantedComment {
  path: string;
  body: string;
  subjectType?: CommentSubjectType | undefined;
  line?: number | undefined;
  /** `RIGHT` if absent. */
  side?: DiffSide | undefined;
  /** The first line of a range, which ends with `line`. */
  startLine?: number | undefined;
  /** `side` if absent. */
  startSide?: DiffSide | undefined;
  /** In the patch of the file, in the place of `line`. */
  position?: number | undefined;
}

/** Where a comment stands in the difference of a commit. */
export interface CommentPlace {
  /** Of comments on files, `RIGHT`. */
  side: DiffSide;
  /** Null for a file, and where the line is not in the difference any more. */
  line: number | null;
  /** Null without a range. */
  startSide: DiffSide | null;
  startLine: number | null;
  /** In the patch of the file; of a comment on a file, 1. Null where it is not in the difference any more. */
  position: number | null;
}

/** A comment whose line is in the difference of `commitId`. */
export interface PlacedComment extends CommentPlace {
  path: string;
  body: string;
  subjectType: CommentSubjectType;
  position: number;
  /** The part of the patch that ends with the line. */
  diffHunk: string;
  commitId: string;
}

export interface ReviewComment extends CommentPlace {
  /** Of all such comments of the server. */
  id: number;
  /** The issue that the pull request is, and its number in the repository. */
  issueId: number;
  pullNumber: number;
  repositoryNumber: number;
  reviewId: number;
  threadId: number;
  /** The first comment of the thread; null for that one. */
  inReplyTo: number | null;
  author: Author;
  body: string;
  reactions: ReactionCounts;
  path: string;
  subjectType: CommentSubjectType;
  diffHunk: string;
  originalLine: number | null;
  originalStartLine: number | null;
  originalPosition: number | null;
  /** The commit whose difference the place is in, and that which it was written about. */
  commitId: string;
  originalCommitId: string;
  /** Whether its review is pending: only its author sees it. */
  isPending: boolean;
  createdAt: number;
  updatedAt: number;
}

/** What follows from one comment to the replies in its thread. */
export type ThreadPlace = Pick<
  ReviewComment,
  | 'path'
  | 'subjectType'
  | 'diffHunk'
  | 'originalLine'
  | 'originalStartLine'
  | 'originalPosition'
  | 'commitId'
  | 'originalCommitId'
  | keyof CommentPlace
>;

/** A comment of a pending review does not exist for others. */
export function isCommentVisibleTo(
  { isPending, author }: Pick<ReviewComment, 'isPending' | 'author'>,
  accountId: string | undefined,
): boolean {
  return !isPending || (author.id !== null && author.id === accountId);
}

export function reviewCommentNotFound(): Failure {
  return new Failure('not-found', 'There is no such comment');
}
