// Applies a request that has its approvals, or takes it back.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { currentTime } from '../../lib/clock.ts';
import { useEnvironments } from '../queries.ts';
import { needsTypedKey } from '../save/guard.ts';
import { placeOf, whyNotApplied, type Approval } from './approval.ts';
import { useApply, useDeleteApproval } from './approvals-queries.ts';
import { APPROVAL } from './approvals-words.ts';

interface ApprovalActionsProps {
  approval: Approval;
  ownId: string | undefined;
  mayApply: boolean;
  mayDelete: boolean;
}

export function ApprovalActions({ approval, ownId, mayApply, mayDelete }: ApprovalActionsProps) {
  const [asking, setAsking] = useState<'apply' | 'delete'>();
  const { environment } = placeOf(approval);
  const isOwn = approval.requestorId === ownId && approval.status !== 'completed';
  const close = () => setAsking(undefined);
  return (
    <>
      {mayDelete && (
        <Button onClick={() => setAsking('delete')}>{isOwn ? APPROVAL.withdraw : APPROVAL.delete}</Button>
      )}
      {mayApply && approval.status !== 'completed' && (
        <Button
          tone="primary"
          icon="check"
          disabledReason={whyNotApplied(approval)}
          onClick={() => setAsking('apply')}
        >
          {APPROVAL.apply(environment)}
        </Button>
      )}
      {asking === 'apply' && <ApplyDialog approval={approval} onClose={close} />}
      {asking === 'delete' && <DeleteDialog approval={approval} isOwn={isOwn} onClose={close} />}
    </>
  );
}

/** In a guarded environment its key is typed, as for every change there, and where it is not known yet whether it is one. */
function ApplyDialog({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const { project, environment: key, flag } = placeOf(approval);
  const { data } = useEnvironments(project);
  const environment = data?.items.find((one) => one.key === key);
  const apply = useApply(approval._id);
  const [comment, setComment] = useState('');
  const [now] = useState(currentTime);
  const isLater = approval.executionDate !== undefined && approval.executionDate > now;
  return (
    <ConfirmDialog
      title={APPROVAL.applyTitle(flag, key)}
      tone={environment?.critical === true ? 'production' : 'normal'}
      confirmLabel={APPROVAL.apply(key)}
      typeToConfirm={environment === undefined || needsTypedKey(environment) ? key : undefined}
      isBusy={apply.isPending}
      error={apply.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        apply.mutate(comment.trim(), {
          onSuccess: () => {
            toast({ text: APPROVAL.nowApplied });
            onClose();
          },
        })
      }
    >
      <p>{isLater ? APPROVAL.applyLater : APPROVAL.applyText}</p>
      <Field label={APPROVAL.applyComment} optional>
        <TextArea rows={2} maxLength={10_000} value={comment} onValue={setComment} />
      </Field>
    </ConfirmDialog>
  );
}

interface DeleteDialogProps {
  approval: Approval;
  isOwn: boolean;
  onClose: () => void;
}

function DeleteDialog({ approval, isOwn, onClose }: DeleteDialogProps) {
  const remove = useDeleteApproval(approval._id);
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title={isOwn ? APPROVAL.withdrawTitle : APPROVAL.deleteTitle}
      tone="danger"
      confirmLabel={isOwn ? APPROVAL.withdrawConfirm : APPROVAL.deleteConfirm}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            toast({ text: APPROVAL.gone });
            navigate('/approvals', { replace: true });
          },
        })
      }
    >
      <p>{APPROVAL.deleteText}</p>
    </ConfirmDialog>
  );
}
