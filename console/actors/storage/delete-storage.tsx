// The question before a storage is deleted: what goes with it, and its name to be typed.
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { toast } from '../../ui/toast-store.ts';
import { deleteCall, topicsOf } from './storage-queries.ts';
import { isUnnamed, titleOf, type Storage, type StorageKind } from './storage.ts';
import { KIND_WORDS, WORDS } from './storage-words.ts';

export interface DeleteStorageProps {
  kind: StorageKind;
  storage: Storage;
  onClose: () => void;
  onDone: () => void;
}

export function DeleteStorage({ kind, storage, onClose, onDone }: DeleteStorageProps) {
  const { id, name, actRunId } = storage;
  const { one } = KIND_WORDS[kind];
  const remove = useChange<void>(() => deleteCall(kind, id), topicsOf(kind));
  useSayDraft(deleteCall(kind, id));
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast({ text: WORDS.removed(titleOf(storage)) });
        onClose();
        onDone();
      },
    });
  return (
    <ConfirmDialog
      title={WORDS.removeTitle(one, titleOf(storage))}
      tone="danger"
      typeToConfirm={isUnnamed(storage) ? id : name!}
      confirmLabel={WORDS.removeLabel(one)}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{WORDS.removeText}</p>
      <ul className="history-lines">
        <li>{contentOf(kind, storage)}</li>
        <li>{WORDS.removeLinks}</li>
        {actRunId !== null && <li>{WORDS.removeRun(actRunId)}</li>}
      </ul>
    </ConfirmDialog>
  );
}

function contentOf(kind: StorageKind, storage: Storage): string {
  const { itemCount = 0, totalRequestCount = 0, pendingRequestCount = 0, stats } = storage;
  if (kind === 'datasets') return WORDS.removeItems(formatCount(itemCount));
  if (kind === 'stores') return WORDS.removeRecords(formatBytes(stats.storageBytes));
  return WORDS.removeRequests(formatCount(totalRequestCount), formatCount(pendingRequestCount));
}
