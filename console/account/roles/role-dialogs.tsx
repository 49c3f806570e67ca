// Before a role is saved or deleted: what changes, and whom it concerns.
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import { path } from '../../api/call.ts';
import { Banner } from '../../ui/banner.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { toast } from '../../ui/toast-store.ts';
import { saveCall, shownOf, type RoleFields } from './role-draft.ts';
import { holderWords, useHolderCounts } from './role-holders.tsx';
import type { CustomRole } from './roles-queries.ts';
import { ROLE } from './roles-words.ts';

export interface SaveDialogProps {
  role: CustomRole;
  base: RoleFields;
  fields: RoleFields;
  /** Cases of the tester that fail with it. */
  failing: number;
  onSaved: () => void;
  /** Somebody else has saved in between. */
  onContested: () => void;
  onClose: () => void;
}

export function SaveDialog({ role, base, fields, failing, onSaved, onContested, onClose }: SaveDialogProps) {
  const [comment, setComment] = useState('');
  const save = useChange<void>(() => saveCall(role.key, base, fields, comment), ['role']);
  const holders = holderWords(useHolderCounts(role));
  const words = ROLE.save;
  const confirm = () =>
    save.mutate(undefined, {
      onSuccess: () => {
        toast({ text: ROLE.saved(fields.name), tone: 'ok' });
        onSaved();
      },
      onError: ({ status }) => {
        if (status === 409) onContested();
      },
    });
  return (
    <ConfirmDialog
      title={words.title(role.name)}
      confirmLabel={words.button}
      isBusy={save.isPending}
      error={save.error ?? undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      {failing > 0 && <Banner tone="warn">{words.failing(failing)}</Banner>}
      <JsonDiff before={shownOf(base)} after={shownOf(fields)} label={words.difference} />
      <p>{holders === '' ? words.nobody : words.holders(holders)}</p>
      <Field label={words.comment} help={words.commentHelp} optional>
        <TextInput maxLength={1000} autoComplete="off" value={comment} onValue={setComment} />
      </Field>
    </ConfirmDialog>
  );
}

export interface DeleteRoleDialogProps {
  role: CustomRole;
  onDeleted: () => void;
  onClose: () => void;
}

export function DeleteRoleDialog({ role, onDeleted, onClose }: DeleteRoleDialogProps) {
  const { key, name } = role;
  const remove = useChange<void>(
    () => ({ api: 'flags', method: 'DELETE', path: path`/roles/${key}` }),
    ['role', 'member', 'team'],
  );
  const counts = useHolderCounts(role);
  const holders = holderWords(counts);
  const words = ROLE.deleting;
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        toast({ text: ROLE.deleted(name), tone: 'ok' });
        onDeleted();
      },
    });
  return (
    <ConfirmDialog
      tone="danger"
      title={words.title(name)}
      confirmLabel={words.button}
      typeToConfirm={key}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {holders === '' ? words.nobody : words.held(holders)}
        {counts.tokens > 0 && ` ${words.tokens}`}
      </p>
      <p>{words.text}</p>
    </ConfirmDialog>
  );
}
