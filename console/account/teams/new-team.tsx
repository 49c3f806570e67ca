// A new team: its name, its key and its roles.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { keyFrom } from '../../lib/key-from.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { ChoiceList } from '../members/members-choice.tsx';
import { useCustomRoles } from '../members/members-queries.ts';
import { AttributeRows } from './attribute-rows.tsx';
import { attributeFault, attributesOf, type AttributeRow } from './team-draft.ts';
import type { Team } from './teams-queries.ts';
import { TEAM, TEAMS } from './teams-words.ts';

const EMPTY = { key: '', name: '', description: '', roles: [] as string[], attributes: [] as AttributeRow[] };
const KEY = /^[a-z0-9][\w.-]{0,255}$/i;

export interface NewTeamDialogProps {
  onCreated: (team: Team) => void;
  onClose: () => void;
}

export function NewTeamDialog({ onCreated, onClose }: NewTeamDialogProps) {
  const { value, change, forget } = useDraft('new-team', EMPTY);
  const [isChecked, setChecked] = useState(false);
  const roles = useCustomRoles();
  const key = value.key === '' ? keyFrom(value.name) : value.key;
  const call: Call = {
    api: 'flags',
    method: 'POST',
    path: '/teams',
    body: {
      key,
      name: value.name.trim(),
      ...(value.description.trim() !== '' && { description: value.description.trim() }),
      ...(value.roles.length > 0 && { customRoleKeys: value.roles }),
      ...(value.attributes.length > 0 && { roleAttributes: attributesOf(value.attributes) }),
    },
  };
  useSayDraft(call);
  const create = useChange<void, Team>(() => call, ['team', 'role']);
  const nameError = value.name.trim() === '' ? TEAM.nameMissing : undefined;
  const keyError = KEY.test(key) ? undefined : TEAM.keyBad;
  const submit = () => {
    setChecked(true);
    if (nameError ?? keyError ?? attributeFault(value.attributes)) return;
    create.mutate(undefined, {
      onSuccess: (team) => {
        forget();
        toast({ text: TEAM.createdToast(team.name), tone: 'ok' });
        onCreated(team);
      },
    });
  };
  return (
    <FormDialog
      title={TEAMS.create}
      text={TEAM.newText}
      action={TEAM.submit}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={TEAM.name} error={isChecked ? nameError : undefined}>
        <TextInput
          maxLength={256}
          autoComplete="off"
          value={value.name}
          onValue={(name) => change({ name })}
        />
      </Field>
      <Field label={TEAM.key} help={TEAM.keyHelp} error={isChecked ? keyError : undefined}>
        <TextInput
          isMono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={256}
          value={key}
          onValue={(text) => change({ key: text })}
        />
      </Field>
      <Field label={TEAM.description} optional>
        <TextArea rows={2} value={value.description} onValue={(description) => change({ description })} />
      </Field>
      <ChoiceList
        label={TEAM.roles}
        help={TEAM.rolesHelp}
        given={roles.data}
        chosen={value.roles}
        onChange={(next) => change({ roles: next })}
      />
      <AttributeRows rows={value.attributes} onChange={(attributes) => change({ attributes })} />
    </FormDialog>
  );
}
