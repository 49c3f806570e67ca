// Adds somebody to an organization or to one of its teams, with a role.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextInput } from '../../ui/input.tsx';
import { useSaveMembership } from './orgs-queries.ts';
import { ORG_MEMBERS } from './orgs-words.ts';

export interface AddMemberDialogProps<Role extends string> {
  text: string;
  roles: { value: Role; label: string; text: string }[];
  callOf: (login: string, role: Role) => Call;
  onClose: () => void;
}

/** The last of the roles is chosen: it allows the least. */
export function AddMemberDialog<Role extends string>(props: AddMemberDialogProps<Role>) {
  const { text, roles, callOf, onClose } = props;
  const [login, setLogin] = useState('');
  const [role, setRole] = useState<Role>(roles.at(-1)!.value);
  const [isTried, setTried] = useState(false);
  const name = login.trim();
  const call = callOf(name, role);
  useSayDraft(name === '' ? undefined : call);
  const save = useSaveMembership();
  const isUnknown = save.error?.status === 404;
  const submit = () => {
    setTried(true);
    if (name !== '') save.mutate(call, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={ORG_MEMBERS.dialogTitle}
      text={text}
      width={520}
      action={ORG_MEMBERS.saveAdd}
      isBusy={save.isPending}
      error={isUnknown ? null : save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={ORG_MEMBERS.username}
        error={isTried && name === '' ? ORG_MEMBERS.needsName : isUnknown ? ORG_MEMBERS.unknown : undefined}
      >
        <TextInput
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={login}
          onValue={setLogin}
        />
      </Field>
      <RadioCards label={ORG_MEMBERS.role} value={role} options={roles} onChange={setRole} />
    </FormDialog>
  );
}
