// Dismisses one alert or several, with a reason and a comment.
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextArea } from '../../ui/input.tsx';
import type { RepositoryPlace } from '../place.ts';
import { DISMISSAL_REASONS, type DismissalReason } from './alert.ts';
import { dismissCall, useDismiss } from './security-queries.ts';
import { DISMISS } from './security-words.ts';

/** As the API has it. */
const MAX_COMMENT = 280;

export interface DismissDialogProps {
  place: RepositoryPlace;
  numbers: readonly number[];
  /** With those that could not be dismissed, which stay chosen. */
  onDone: (failed: readonly number[]) => void;
  onClose: () => void;
}

export function DismissDialog({ place, numbers, onDone, onClose }: DismissDialogProps) {
  const [reason, setReason] = useState<DismissalReason>();
  const [comment, setComment] = useState('');
  const dismiss = useDismiss(place);
  const left = dismiss.data?.failed ?? numbers;
  useSayDraft(left[0] === undefined ? undefined : dismissCall(place, left[0], { reason, comment }));
  const count = formatCount(left.length);
  const isOne = left.length === 1;
  const submit = () => {
    if (reason === undefined) return;
    dismiss.mutate(
      { numbers: left, dismissal: { reason, comment } },
      {
        onSuccess: ({ failed }) => {
          if (failed.length < left.length) onDone(failed);
          if (failed.length === 0) onClose();
        },
      },
    );
  };
  const refused = dismiss.data?.error;
  const message =
    refused === undefined || dismiss.isPending
      ? null
      : isOne
        ? refused.message
        : DISMISS.failed(count, refused.message);
  return (
    <FormDialog
      title={DISMISS.title(count, isOne)}
      text={DISMISS.text}
      action={DISMISS.action(count, isOne)}
      disabledReason={reason === undefined ? DISMISS.chooseFirst : undefined}
      isBusy={dismiss.isPending}
      error={message === null ? null : { message, access: refused?.access, requestId: refused?.requestId }}
      onSubmit={submit}
      onClose={onClose}
    >
      <RadioCards
        label={DISMISS.reason}
        value={reason}
        options={DISMISSAL_REASONS.map((value) => ({
          value,
          label: DISMISS.reasons[value][0],
          text: DISMISS.reasons[value][1],
        }))}
        onChange={setReason}
      />
      <Field label={DISMISS.comment} optional end={`${comment.length} / ${MAX_COMMENT}`}>
        <TextArea rows={3} maxLength={MAX_COMMENT} value={comment} onValue={setComment} />
      </Field>
    </FormDialog>
  );
}
