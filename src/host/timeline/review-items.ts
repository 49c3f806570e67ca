// The reviews of timelines, and the threads of comments on lines, as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FIELDS } from '../contents/render-bodies.ts';
import { ASSOCIATIONS } from '../issues/people/associations.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser } from '../owners/model.ts';
import { ReviewCommentReply } from '../review-comments/model.ts';
import { isoSeconds } from '../times.ts';
import { addressesOf, shownUser, type TimelinePlace, type Written } from './model.ts';
import type { ReviewInTimeline } from './store-subjects.ts';

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

export const TimelineLineComments = Type.Object(
  { event: Type.Literal('line-commented'), node_id: Type.String(), comments: Type.Array(ReviewCommentReply) },
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
  comments: Static<typeof ReviewCommentReply>[],
): Static<typeof TimelineLineComments> {
  return { event: 'line-commented', node_id: nodeId('PullRequestReviewThread', threadId), comments };
}
