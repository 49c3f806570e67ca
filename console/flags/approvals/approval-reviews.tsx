// Who said what about a request, from its beginning to its end.
import type { IconName } from '../../ui/icon.tsx';
import { Timeline, type TimelineItem } from '../../ui/timeline.tsx';
import { Time } from '../../ui/time.tsx';
import { MemberName } from '../people.tsx';
import type { Approval, Review } from './approval.ts';
import { APPROVAL } from './approvals-words.ts';

const VERBS: Record<Review['kind'], string> = {
  approve: APPROVAL.approved,
  decline: APPROVAL.declined,
  comment: APPROVAL.commented,
};
const GLYPHS: Record<Review['kind'], { icon: IconName; tone?: 'ok' | 'bad' }> = {
  approve: { icon: 'ok', tone: 'ok' },
  decline: { icon: 'err', tone: 'bad' },
  comment: { icon: 'pen' },
};

export function ApprovalReviews({ approval }: { approval: Approval }) {
  const { _id, requestorId, creationDate, allReviews, appliedDate, appliedByMemberId } = approval;
  const items: TimelineItem[] = [
    {
      id: _id,
      icon: 'ring',
      content: <Said id={requestorId} verb={APPROVAL.requested} />,
      meta: <Time at={creationDate} />,
    },
    ...allReviews.map((review) => ({
      id: review._id,
      ...GLYPHS[review.kind],
      content: <Said id={review.memberId} verb={VERBS[review.kind]} />,
      comment: review.comment,
      meta: <Time at={review.creationDate} />,
    })),
    ...(appliedDate === undefined
      ? []
      : [
          {
            id: 'applied',
            icon: 'check' as const,
            tone: 'ok' as const,
            content: <Said id={appliedByMemberId} verb={APPROVAL.applied} />,
            meta: <Time at={appliedDate} />,
          },
        ]),
  ];
  return <Timeline label={APPROVAL.reviews} items={items} />;
}

function Said({ id, verb }: { id: string | undefined; verb: string }) {
  return (
    <>
      <b>{id === undefined ? APPROVAL.serviceToken : <MemberName id={id} />}</b> {verb}
    </>
  );
}
