// The question before requests are deleted.
import { useState } from 'react';
import { ApiError } from '../../../api/error.ts';
import { invalidateTopics } from '../../../api/read.ts';
import { useSayDraft } from '../../../app/draft-call.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { formatCount } from '../../../ui/format.ts';
import { toast } from '../../../ui/toast-store.ts';
import { deleteAll, deleteAllCall, REQUESTS } from './requests.ts';
import { WORDS } from './queue-words.ts';

export interface DeleteRequestsProps {
  queueId: string;
  requestIds: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

export function DeleteRequests({ queueId, requestIds, onClose, onDone }: DeleteRequestsProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  useSayDraft(deleteAllCall(queueId, requestIds));
  const count = formatCount(requestIds.length);
  const remove = async () => {
    setBusy(true);
    try {
      await deleteAll(queueId, requestIds);
      toast({ text: WORDS.removed(count) });
      onClose();
      onDone();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
      invalidateTopics([REQUESTS, 'request-queue']);
    }
  };
  return (
    <ConfirmDialog
      title={WORDS.removeTitle(count)}
      tone="danger"
      confirmLabel={WORDS.removeLabel(count)}
      isBusy={isBusy}
      error={error}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{WORDS.removeText}</p>
    </ConfirmDialog>
  );
}
