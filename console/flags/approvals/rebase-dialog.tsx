// Makes a request anew on top of what others have changed, and withdraws the old one: mine, theirs and merged can be looked at.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { readableVersion } from '../history/flag-version.ts';
import { Difference } from '../save/difference.tsx';
import { approvalCall, type PlannedChange } from '../save/planned-change.ts';
import { sendChange, usePreview } from '../save/save-queries.ts';
import type { Approval } from './approval.ts';
import { deleteCall } from './approvals-queries.ts';
import { APPROVAL } from './approvals-words.ts';

const WORDS = APPROVAL.stale;
type Side = keyof typeof WORDS.sides;

interface RebaseDialogProps {
  approval: Approval;
  /** What is left of the request, for the flag as it is now. */
  change: PlannedChange;
  /** The flag in the environment when the request was made, and now. */
  base: unknown;
  present: unknown;
  mayDelete: boolean;
  onClose: () => void;
}

export function RebaseDialog({ approval, change, base, present, mayDelete, onClose }: RebaseDialogProps) {
  const [side, setSide] = useState<Side>('merged');
  const [description, setDescription] = useState(approval.description);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [, navigate] = useLocation();
  const preview = usePreview(change);
  const call = approvalCall(change, {
    description: description.trim(),
    comment: approval.comment ?? '',
    reviewers: approval.notifyMemberIds,
  });
  useSayDraft(call);
  const reason =
    preview.error !== null
      ? WORDS.impossible
      : preview.data === undefined
        ? WORDS.wait
        : preview.data.sentences.length === 0
          ? WORDS.nothing
          : description.trim() === ''
            ? WORDS.descriptionMissing
            : undefined;
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      // The new one first: if the second call fails, nothing that was asked for is lost.
      const made = await sendChange<{ _id: string }>(call);
      if (mayDelete) await send(deleteCall(approval._id)).catch(() => undefined);
      navigate(`/approvals/${encodeURIComponent(made._id)}`);
      toast({ text: WORDS.done });
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={WORDS.dialog}
      text={WORDS.text}
      onClose={onClose}
      footer={
        <>
          <span className="t12 muted grow">{mayDelete ? WORDS.withdraws : WORDS.stays}</span>
          <Button data-autofocus="" onClick={onClose}>
            {WORDS.cancel}
          </Button>
          <Button tone="primary" disabledReason={reason} isBusy={isBusy} onClick={() => void confirm()}>
            {WORDS.confirm(change.environment ?? '')}
          </Button>
        </>
      }
    >
      <ChangeError error={error} />
      <Segmented<Side>
        label={WORDS.sidesLabel}
        value={side}
        onChange={setSide}
        options={(['merged', 'mine', 'theirs'] as const).map((value) => ({
          value,
          label: WORDS.sides[value],
        }))}
      />
      {side === 'mine' && (
        <>
          <p className="t13">{WORDS.mineText}</p>
          <CodeBlock
            text={JSON.stringify(approval.instructions, undefined, 2)}
            copyLabel={APPROVAL.copyInstructions}
          />
        </>
      )}
      {side === 'theirs' && (
        <>
          <p className="t13">{WORDS.theirsText}</p>
          <JsonDiff before={readableVersion(base ?? {})} after={readableVersion(present ?? {})} />
        </>
      )}
      {side === 'merged' && preview.error !== null && <ChangeError error={preview.error} />}
      {side === 'merged' &&
        preview.error === null &&
        (preview.data === undefined ? (
          <Skeleton lines={3} />
        ) : (
          <Difference change={change} preview={preview.data} />
        ))}
      <Field label={WORDS.description}>
        <TextInput maxLength={1000} value={description} onValue={setDescription} />
      </Field>
    </Dialog>
  );
}
