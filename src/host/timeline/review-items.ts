// The reviews of timelines, and the threads of comments on lines, as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FIELDS } from '../contents/render-bodies.ts';
import { ASSOCIATIONS } from '../issues/associations.ts';
import type { ReactionCounts } from '../issues/issue.ts';
import { ReactionRollup, toReactionRollup } from '../issues/model.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { addressesOf, shownUser, type TimelinePlace, type Written } from './model.ts';
import type { ReviewCommentInTimeline, ReviewInTimeline } from './store-subjects.ts';

const Time = Type.String({ format: 'date-time' });
const Link = Type.Object({ href: Type.String() });

export const TimelineReview = Type.Object(
  {
    event: Type.Literal('reviewed'),
    id: Type.Integer(),
    node_id: Type.String(),
    user: Nullable(SimpleUser),
    ...BODY_FIELDS,
    state: Type.String(),
    html_url: Type.String(),
    pull_request_url: Type.String(),
    _links: Type.Object({ html: Link, pull_request: Link }),
    submitted_at: Type.Optional(Time),
    updated_at: Time,
    commit_id: Type.String(),
    author_association: OneOf(ASSOCIATIONS),
  },
  { $id: 'timeline-reviewed-event' },
);

const LineComment = Type.Object({
  url: Type.String(),
  pull_request_review_id: Type.Integer(),
  id: Type.Integer(),
  node_id: Type.String(),
  diff_hunk: Type.String(),
  path: Type.String(),
  position: Type.Optional(Type.Integer()),
  original_position: Type.Optional(Type.Integer()),
  commit_id: Type.String(),
  original_commit_id: Type.String(),
  in_reply_to_id: Type.Optional(Type.Integer()),
  user: Nullable(SimpleUser),
  ...BODY_FIELDS,
  created_at: Time,
  updated_at: Time,
  html_url: Type.String(),
  pull_request_url: Type.String(),
  author_association: OneOf(ASSOCIATIONS),
  _links: Type.Object({ self: Link, html: Link, pull_request: Link }),
  start_line: Nullable(Type.Integer()),
  original_start_line: Nullable(Type.Integer()),
  start_side: Nullable(Type.String()),
  line: Type.Optional(Type.Integer()),
  original_line: Type.Optional(Type.Integer()),
  side: Type.Optional(Type.String()),
  subject_type: Type.String(),
  reactions: ReactionRollup,
});

export const TimelineLineComments = Type.Object(
  { event: Type.Literal('line-commented'), node_id: Type.String(), comments: Type.Array(LineComment) },
  { $id: 'timeline-line-commented-event' },
);

export function toTimelineReview(
  review: ReviewInTimeline,
  { user, association, body }: Written,
  place: TimelinePlace,
): Static<typeof TimelineReview> {
  const { base, api, page } = addressesOf(place);
  const { id, submitted_at: submittedAt } = review;
  const htmlUrl = `${page}/pull/${place.number}#pullrequestreview-${id}`;
  const pullUrl = `${api}/pulls/${place.number}`;
  return {
    event: 'reviewed',
    id,
    node_id: nodeId('PullRequestReview', id),
    user: shownUser(user, base),
    ...body,
    state: review.state.toLowerCase(),
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    _links: { html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    ...(submittedAt !== null && { submitted_at: isoSeconds(submittedAt) }),
    updated_at: isoSeconds(review.updated_at),
    commit_id: review.commit_id ?? '',
    author_association: association,
  };
}

export function toLineComments(
  threadId: number,
  comments: Static<typeof LineComment>[],
): Static<typeof TimelineLineComments> {
  return { event: 'line-commented', node_id: nodeId('PullRequestReviewThread', threadId), comments };
}

export function toLineComment(
  comment: ReviewCommentInTimeline,
  { user, association, body }: Written,
  place: TimelinePlace,
): Static<typeof LineComment> {
  const { base, api, page } = addressesOf(place);
  const { id, position, line, side, in_reply_to: inReplyTo } = comment;
  const url = `${api}/pulls/comments/${id}`;
  const htmlUrl = `${page}/pull/${place.number}#discussion_r${id}`;
  const pullUrl = `${api}/pulls/${place.number}`;
  return {
    url,
    pull_request_review_id: comment.review_id,
    id,
    node_id: nodeId('PullRequestReviewComment', id),
    diff_hunk: comment.diff_hunk,
    path: comment.path,
    ...(position !== null && { position }),
    ...(comment.original_position !== null && { original_position: comment.original_position }),
    commit_id: comment.commit_id,
    original_commit_id: comment.original_commit_id,
    ...(inReplyTo !== null && { in_reply_to_id: inReplyTo }),
    user: shownUser(user, base),
    ...body,
    created_at: isoSeconds(comment.created_at),
    updated_at: isoSeconds(comment.updated_at),
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    author_association: association,
    _links: { self: { href: url }, html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    start_line: comment.start_line,
    original_start_line: comment.original_start_line,
    start_side: comment.start_side,
    ...(line !== null && { line }),
    ...(comment.original_line !== null && { original_line: comment.original_line }),
    ...(side !== null && { side }),
    subject_type: comment.subject_type,
    reactions: toReactionRollup(JSON.parse(comment.reactions) as ReactionCounts, `${url}/reactions`),
  };
}
