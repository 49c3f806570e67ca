// Before a change is made: what it does, why and when; and where others changed the same meanwhile, what is to stay.
import type { ChangePreview } from '../../api/types/signalbox.ts';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ConflictView } from './conflict-view.tsx';
import type { PlannedChange } from './planned-change.ts';
import { SaveForm } from './save-form.tsx';
import { usePreview } from './save-queries.ts';
import { useSaving } from './use-saving.ts';

export interface SaveDialogProps {
  change: PlannedChange;
  title?: string;
  onClose: () => void;
  /** It was saved, scheduled or proposed: what was a draft is none any more. */
  onSaved: () => void;
}

export function SaveDialog({ change: asked, title, onClose, onSaved }: SaveDialogProps) {
  const { project, resource } = asked;
  const [merged, setMerged] = useState<PlannedChange>();
  const change = merged ?? asked;
  const preview = usePreview(change);
  const seen = useFirstPreview(change, preview.data);
  const [, navigate] = useLocation();
  const saving = useSaving(change, seen, {
    onDone: onSaved,
    openHistory: () =>
      navigate(`/flags/${encodeURIComponent(project)}/${encodeURIComponent(resource.key)}/history`),
    openApproval: (id) => navigate(`/approvals/${encodeURIComponent(id)}`),
  });
  // What cannot be applied may have been possible when it was begun.
  const isRefused = preview.error !== null && preview.error.status >= 400 && preview.error.status < 500;
  const { findWhy } = saving;
  useEffect(() => {
    if (isRefused) findWhy();
    // Once for each refusal; the function is another one each time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isRefused]);
  const { conflict } = saving;
  if (conflict === undefined)
    return <SaveForm change={change} title={title} preview={preview} saving={saving} onClose={onClose} />;
  return (
    <ConflictView
      conflict={conflict}
      wanted={asked.wanted ?? seen?.after ?? preview.data?.after}
      error={saving.error}
      isBusy={saving.isBusy}
      isConfirmed={saving.isConfirmed}
      onSave={(next) => {
        setMerged(next);
        saving.goOn(next);
      }}
      onGiveUp={onSaved}
      onClose={onClose}
    />
  );
}

/** For the version that the change was planned for: later ones show what others did, too. */
function useFirstPreview(
  change: PlannedChange,
  present: ChangePreview | undefined,
): ChangePreview | undefined {
  const [first, setFirst] = useState<ChangePreview>();
  if (first === undefined && present?.version === change.version) setFirst(present);
  return first;
}
