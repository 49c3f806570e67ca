// Comments on lines of pull requests as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FIELDS, type ShownBody } from '../contents/render-bodies.ts';
import { ASSOCIATIONS } from '../issues/people/associations.ts';
import type { ShownAuthor } from '../issues/people/show-authors.ts';
import { ReactionRollup, toReactionRollup, type IssuePlace } from '../issues/model.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { DIFF_SIDES, SUBJECT_TYPES, type ReviewComment } from './review-comment.ts';
import { siteOf } from '../site.ts';

const Time = Type.String({ format: 'date-time' });
const Link = Type.Object({ href: Type.String() });
const Line = Nullable(Type.Integer());

const FIELDS = {
  url: Type.String(),
  pull_request_review_id: Type.Integer(),
  id: Type.Integer(),
  node_id: Type.String(),
  diff_hunk: Type.String({ description: 'The part of the patch that ends with the line; empty for a file' }),
  path: Type.String(),
  position: Nullable(
    Type.Integer({
      description: 'In the patch of the file; null where the line is not in the changes any more',
    }),
  ),
  original_position: Type.Integer(),
  commit_id: Type.String({ description: 'The commit whose changes `line` and `position` are in' }),
  original_commit_id: Type.String({ description: 'The commit that it was written about' }),
  in_reply_to_id: Type.Optional(Type.Integer({ description: 'The first comment of the thread' })),
  user: Nullable(SimpleUser),
  ...BODY_FIELDS,
  created_at: Time,
  updated_at: Time,
  html_url: Type.String(),
  pull_request_url: Type.String(),
  author_association: OneOf(ASSOCIATIONS),
  _links: Type.Object({ self: Link, html: Link, pull_request: Link }),
  start_line: Line,
  original_start_line: Line,
  start_side: Nullable(OneOf(DIFF_SIDES)),
  line: Nullable(
    Type.Integer({ description: 'Null for a file, and where the line is not in the changes any more' }),
  ),
  original_line: Line,
  side: OneOf(DIFF_SIDES, {
    description: '`LEFT` are the files before the changes, `RIGHT` those after them',
  }),
  subject_type: OneOf(SUBJECT_TYPES),
  reactions: ReactionRollup,
};

export const ReviewCommentReply = Type.Object(FIELDS, { $id: 'pull-request-review-comment' });

/** In the list of a review, which has a name of its own for the same. */
export const CommentOfReview = Type.Object(FIELDS, { $id: 'review-comment' });

/** A comment with all that its reply nests. It is JSON: events keep it for payloads. */
export interface ShownReviewComment extends ShownAuthor {
  comment: ReviewComment;
}

export function toReviewComment(
  { comment, author, association }: ShownReviewComment,
  { fullName, base }: IssuePlace,
  body: ShownBody,
): Static<typeof ReviewCommentReply> {
  const { id, pullNumber } = comment;
  const pulls = `${base}/repos/${fullName}/pulls`;
  const url = `${pulls}/comments/${id}`;
  const pullUrl = `${pulls}/${pullNumber}`;
  const htmlUrl = `${siteOf(base)}/${fullName}/pull/${pullNumber}#discussion_r${id}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id,
    node_id: nodeId('PullRequestReviewComment', id),
    diff_hunk: comment.diffHunk,
    path: comment.path,
    position: comment.position,
    original_position: comment.originalPosition ?? 1,
    commit_id: comment.commitId,
    original_commit_id: comment.originalCommitId,
    ...(comment.inReplyTo !== null && { in_reply_to_id: comment.inReplyTo }),
    user: author === null ? null : toSimpleUser(author, base),
    ...body,
    created_at: isoSeconds(comment.createdAt),
    updated_at: isoSeconds(comment.updatedAt),
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    author_association: association,
    _links: { self: { href: url }, html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    start_line: comment.startLine,
    original_start_line: comment.originalStartLine,
    start_side: comment.startSide,
    line: comment.line,
    original_line: comment.originalLine,
    side: comment.side,
    subject_type: comment.subjectType,
    reactions: toReactionRollup(comment.reactions, `${url}/reactions`),
  };
}
