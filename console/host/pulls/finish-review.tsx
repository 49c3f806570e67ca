// Submits the review that was written: a verdict, a summary, and all comments on lines at once.
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { Button } from '../../ui/button.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CountBadge } from '../../ui/status.tsx';
import { TextEditor } from '../issues/text-editor.tsx';
import type { Rights } from '../issues/rights.ts';
import { spotKey, type Pull } from './pull.ts';
import { reviewCall, useSubmitReview, type PullPlace, type ReviewOrder } from './pull-queries.ts';
import { REVIEW } from './pull-words.ts';
import { saidDrafts, useReviewDraft } from './review-draft.tsx';

const EVENTS = ['COMMENT', 'APPROVE', 'REQUEST_CHANGES'] as const;

export interface FinishReviewProps {
  place: PullPlace;
  pull: Pull;
  rights: Rights;
}

export function FinishReview(props: FinishReviewProps) {
  const [isOpen, setOpen] = useState(false);
  const { comments } = useReviewDraft();
  if (props.rights.whyNoComment !== undefined) return null;
  return (
    <>
      <Button tone="primary" onClick={() => setOpen(true)}>
        {REVIEW.finish}
        <CountBadge value={saidDrafts(comments).length} />
      </Button>
      {isOpen && <ReviewDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function ReviewDialog({ place, pull, rights, onClose }: FinishReviewProps & { onClose: () => void }) {
  const { comments, body, event, change, forget, remove } = useReviewDraft();
  const submit = useSubmitReview(place);
  const said = saidDrafts(comments);
  // Nobody decides about what they have written themselves.
  const verdict: ReviewOrder['event'] = rights.isAuthor ? 'COMMENT' : event;
  const order: ReviewOrder = {
    commit_id: pull.head.sha,
    event: verdict,
    ...(body.trim() !== '' && { body }),
    comments: said,
  };
  useSayDraft(reviewCall(place, order));
  const needsWords =
    (verdict !== 'APPROVE' && body.trim() === '' && said.length === 0) ||
    (verdict === 'REQUEST_CHANGES' && body.trim() === '' && said.length === 0);
  const send = () =>
    submit.mutate(order, {
      onSuccess: () => {
        forget();
        onClose();
      },
    });
  return (
    <FormDialog
      title={REVIEW.finishTitle}
      text={said.length === 0 ? REVIEW.noDrafts : REVIEW.drafts(said.length)}
      action={REVIEW.submit}
      disabledReason={needsWords ? REVIEW.sayFirst : undefined}
      isBusy={submit.isPending}
      error={submit.error}
      onSubmit={send}
      onClose={onClose}
    >
      {said.length > 0 && (
        <ul className="drafts">
          {said.map((draft) => (
            <li key={spotKey(draft)}>
              <span className="two grow">
                <span className="cut mono t12">
                  {draft.path}: {draft.line}
                </span>
                <small className="cut">{draft.body}</small>
              </span>
              <Button
                tone="ghost"
                size="xs"
                icon="trash"
                label={REVIEW.remove}
                onClick={() => remove(draft)}
              />
            </li>
          ))}
        </ul>
      )}
      <TextEditor
        place={place}
        label={REVIEW.summary}
        rows={4}
        value={body}
        onChange={(text) => change({ body: text })}
      />
      <RadioCards
        label={REVIEW.verdict}
        value={verdict}
        onChange={(next) => change({ event: next })}
        options={EVENTS.map((value) => ({
          value,
          ...REVIEW.events[value],
          disabledReason: rights.isAuthor && value !== 'COMMENT' ? REVIEW.own : undefined,
        }))}
      />
    </FormDialog>
  );
}
