// Approves, declines or comments. What is typed is kept until it is sent.
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import { whyNotReviewed, type Approval } from './approval.ts';
import { reviewCall, useReview, type ReviewPost } from './approvals-queries.ts';
import { APPROVAL } from './approvals-words.ts';

export function ReviewForm({ approval, ownId }: { approval: Approval; ownId: string | undefined }) {
  const { _id: id } = approval;
  const { value, change, forget } = useDraft(`review ${id}`, { comment: '' });
  const review = useReview(id);
  const comment = value.comment.trim();
  const post = (kind: ReviewPost['kind']): ReviewPost => ({ kind, ...(comment !== '' && { comment }) });
  useSayDraft(reviewCall(id, post('approve')));
  const say = (kind: ReviewPost['kind']) => review.mutate(post(kind), { onSuccess: forget });
  const reason = whyNotReviewed(approval, ownId);
  return (
    <Card title={APPROVAL.yours}>
      <div className="stack">
        {review.error !== null && (
          <Banner tone="bad">
            {review.error.message} {review.error.requestId}
          </Banner>
        )}
        <Field label={APPROVAL.comment} help={APPROVAL.commentHelp}>
          <TextArea
            rows={3}
            maxLength={10_000}
            value={value.comment}
            onValue={(text) => change({ comment: text })}
          />
        </Field>
        <div className="row row--wrap">
          <Button
            tone="primary"
            icon="check"
            disabledReason={reason}
            isBusy={review.isPending}
            onClick={() => say('approve')}
          >
            {APPROVAL.approve}
          </Button>
          <Button
            tone="danger"
            icon="x"
            disabledReason={reason}
            isBusy={review.isPending}
            onClick={() => say('decline')}
          >
            {APPROVAL.decline}
          </Button>
          <Button
            disabledReason={comment === '' ? APPROVAL.sayFirst : undefined}
            isBusy={review.isPending}
            onClick={() => say('comment')}
          >
            {APPROVAL.say}
          </Button>
        </div>
      </div>
    </Card>
  );
}
