// The items of timelines: plain events, comments, references, and what reviews and commits bring.
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { IssueCommentReply, toIssueComment, type IssueComment } from '../issue-comments/model.ts';
import { IssueReply } from '../issues/model.ts';
import { SimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { TimelineCommit, TimelineCommitComments } from './commit-items.ts';
import { EventForIssue, shownUser, type TimelinePlace, type Written } from './model.ts';
import { TimelineLineComments, TimelineReview } from './review-items.ts';

const Time = Type.String({ format: 'date-time' });

const TimelineComment = Type.Object(
  { event: Type.Literal('commented'), actor: Nullable(SimpleUser), ...IssueCommentReply.properties },
  { $id: 'timeline-comment-event' },
);

const CrossReference = Type.Object(
  {
    event: Type.Literal('cross-referenced'),
    actor: Nullable(SimpleUser),
    created_at: Time,
    updated_at: Time,
    source: Type.Object({ type: Type.Literal('issue'), issue: IssueReply }),
  },
  { $id: 'timeline-cross-referenced-event' },
);

export const TimelineItem = Type.Union([
  EventForIssue,
  TimelineComment,
  CrossReference,
  TimelineCommit,
  TimelineReview,
  TimelineLineComments,
  TimelineCommitComments,
]);

export type TimelineReply = Static<typeof TimelineItem>;

export function toTimelineComment(
  comment: IssueComment,
  { user, association, body }: Written,
  place: TimelinePlace,
): Static<typeof TimelineComment> {
  const shown = toIssueComment({ comment, author: user, association }, place, body);
  return { event: 'commented', actor: shown.user, ...shown };
}

export function toCrossReference(
  { actor, at, issue }: { actor: RepositoryOwner | null; at: number; issue: Static<typeof IssueReply> },
  base: string,
): Static<typeof CrossReference> {
  return {
    event: 'cross-referenced',
    actor: shownUser(actor, base),
    created_at: isoSeconds(at),
    updated_at: isoSeconds(at),
    source: { type: 'issue', issue },
  };
}
