// Renames a branch, and deletes a branch or a tag after showing what would be lost.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import type { RepositoryPlace } from '../place.ts';
import { TOPICS } from '../queries.ts';
import {
  deleteRefCall,
  offerUndo,
  renameCall,
  useAhead,
  usePullsFrom,
  useRefObject,
} from './branches-queries.ts';
import { REF_DIALOGS } from './branches-words.ts';
import { isRefName } from './ref-name.ts';

interface RefDialogProps {
  place: RepositoryPlace;
  name: string;
  defaultBranch: string;
  onClose: () => void;
}

export function RenameBranchDialog({ place, name, defaultBranch, onClose }: RefDialogProps) {
  const [newName, setNewName] = useState(name);
  const [isTried, setTried] = useState(false);
  const call = renameCall(place, name, newName);
  useSayDraft(call);
  const change = useChange<Call>((one) => one, TOPICS);
  const problem =
    newName === name ? REF_DIALOGS.sameName : isRefName(newName) ? undefined : REF_DIALOGS.badName;
  return (
    <FormDialog
      title={REF_DIALOGS.renameTitle(name)}
      text={name === defaultBranch ? REF_DIALOGS.renameDefault : REF_DIALOGS.renameText}
      width={520}
      action={REF_DIALOGS.rename}
      isBusy={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (problem === undefined) change.mutate(call, { onSuccess: onClose });
      }}
    >
      <Field label={REF_DIALOGS.newName} error={isTried ? problem : undefined}>
        <TextInput
          isMono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={newName}
          onValue={setNewName}
        />
      </Field>
    </FormDialog>
  );
}

/** Where commits would be lost, its name must be typed. */
export function DeleteBranchDialog({ place, name, defaultBranch, onClose }: RefDialogProps) {
  const ahead = useAhead(place, defaultBranch, name);
  const pulls = usePullsFrom(place, name);
  const object = useRefObject(place, 'heads', name);
  const call = deleteRefCall(place, 'heads', name);
  useSayDraft(call);
  const change = useChange<Call>((one) => one, TOPICS);
  const lost = ahead.data?.ahead_by;
  const isSafe = lost === 0;
  const isReading = ahead.isPending || pulls.isPending || object.isPending;
  const open = pulls.data ?? [];
  return (
    <ConfirmDialog
      title={REF_DIALOGS.deleteTitle(name)}
      tone="danger"
      confirmLabel={REF_DIALOGS.deleteBranch}
      typeToConfirm={isSafe || isReading ? undefined : name}
      disabledReason={isReading ? REF_DIALOGS.reading : undefined}
      isBusy={change.isPending}
      error={change.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        change.mutate(call, {
          onSuccess: () => {
            onClose();
            if (object.data !== undefined) offerUndo(place, 'heads', name, object.data.object.sha);
          },
        })
      }
    >
      {!isReading &&
        (isSafe ? (
          <p>{REF_DIALOGS.merged(defaultBranch)}</p>
        ) : (
          <Banner tone="warn">
            {lost === undefined
              ? REF_DIALOGS.unknown(defaultBranch)
              : REF_DIALOGS.onlyHere(formatCount(lost), lost === 1, defaultBranch)}
          </Banner>
        ))}
      {open.length > 0 && (
        <div>
          <p>{REF_DIALOGS.pulls(formatCount(open.length), open.length === 1)}</p>
          <ul className="history-lines">
            {open.map(({ number, title }) => (
              <li key={number}>
                #{number} {title}
              </li>
            ))}
          </ul>
        </div>
      )}
    </ConfirmDialog>
  );
}

export function DeleteTagDialog({ place, name, onClose }: Omit<RefDialogProps, 'defaultBranch'>) {
  const object = useRefObject(place, 'tags', name);
  const call = deleteRefCall(place, 'tags', name);
  useSayDraft(call);
  const change = useChange<Call>((one) => one, TOPICS);
  return (
    <ConfirmDialog
      title={REF_DIALOGS.deleteTitle(name)}
      tone="danger"
      confirmLabel={REF_DIALOGS.deleteTag}
      disabledReason={object.isPending ? REF_DIALOGS.reading : undefined}
      isBusy={change.isPending}
      error={change.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        change.mutate(call, {
          onSuccess: () => {
            onClose();
            if (object.data !== undefined) offerUndo(place, 'tags', name, object.data.object.sha);
          },
        })
      }
    >
      <p>{REF_DIALOGS.tagText}</p>
    </ConfirmDialog>
  );
}
