// The reviews of timelines, and the threads of comments on lines, as replies show them.
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import { ReviewCommentReply } from '../review-comments/model.ts';
import { ReviewReply, toReview } from '../reviews/model.ts';
import type { Review } from '../reviews/review.ts';
import { isoSeconds } from '../times.ts';
import type { TimelinePlace, Written } from './model.ts';

export const TimelineReview = Type.Object(
  {
    event: Type.Literal('reviewed'),
    ...ReviewReply.properties,
    state: Type.String({ description: 'In lower case' }),
    commit_id: Type.String(),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'timeline-reviewed-event' },
);

export const TimelineLineComments = Type.Object(
  { event: Type.Literal('line-commented'), node_id: Type.String(), comments: Type.Array(ReviewCommentReply) },
  { $id: 'timeline-line-commented-event' },
);

export function toTimelineReview(
  review: Review,
  { user, association, body }: Written,
  place: TimelinePlace,
): Static<typeof TimelineReview> {
  const { state, commitId, updatedAt } = review;
  return {
    event: 'reviewed',
    ...toReview({ review, author: user, association }, place, body),
    state: state.toLowerCase(),
    commit_id: commitId ?? '',
    updated_at: isoSeconds(updatedAt),
  };
}

export function toLineComments(
  threadId: number,
  comments: Static<typeof ReviewCommentReply>[],
): Static<typeof TimelineLineComments> {
  return { event: 'line-commented', node_id: nodeId('PullRequestReviewThread', threadId), comments };
}
