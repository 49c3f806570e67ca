// Changes the name and the powers of a team. The difference is shown before it is saved.
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { ChoiceList } from '../members/members-choice.tsx';
import { useCustomRoles } from '../members/members-queries.ts';
import { AttributeRows } from './attribute-rows.tsx';
import { attributeFault, instructionsOf, teamFieldsOf } from './team-draft.ts';
import { patchTeamCall, type Team, type TeamInstruction } from './teams-queries.ts';
import { TEAM } from './teams-words.ts';

export interface TeamRights {
  mayName: boolean;
  mayDescribe: boolean;
  mayRoles: boolean;
  mayMembers: boolean;
  mayDelete: boolean;
}

export function TeamForm({ team, rights }: { team: Team; rights: TeamRights }) {
  const before = teamFieldsOf(team);
  const [fields, setFields] = useState(before);
  const [isAsking, setAsking] = useState(false);
  const roles = useCustomRoles();
  const instructions = instructionsOf(before, fields);
  const call = patchTeamCall(team.key, instructions);
  useSayDraft(instructions.length === 0 ? undefined : call);
  const save = useChange<void>(() => call, ['team', 'member', 'role']);
  const change = (patch: Partial<typeof fields>) => setFields({ ...fields, ...patch });
  const nameError = fields.name.trim() === '' ? TEAM.nameMissing : undefined;
  const reason =
    nameError ?? attributeFault(fields.attributes) ?? (instructions.length === 0 ? TEAM.noChange : undefined);
  const confirm = () =>
    save.mutate(undefined, {
      onSuccess: () => {
        setAsking(false);
        toast({ text: TEAM.changedToast(fields.name.trim()), tone: 'ok' });
      },
    });
  return (
    <section>
      <h3>{TEAM.about}</h3>
      <div className="stack">
        {rights.mayName && (
          <Field label={TEAM.name} error={nameError}>
            <TextInput
              maxLength={256}
              autoComplete="off"
              value={fields.name}
              onValue={(name) => change({ name })}
            />
          </Field>
        )}
        {rights.mayDescribe && (
          <Field label={TEAM.description} optional>
            <TextArea
              rows={2}
              value={fields.description}
              onValue={(description) => change({ description })}
            />
          </Field>
        )}
        {rights.mayRoles && (
          <>
            <ChoiceList
              label={TEAM.roles}
              help={TEAM.rolesHelp}
              given={roles.data}
              chosen={fields.roles}
              onChange={(next) => change({ roles: next })}
            />
            <AttributeRows rows={fields.attributes} onChange={(attributes) => change({ attributes })} />
          </>
        )}
        <div>
          <Button
            disabledReason={reason}
            onClick={() => {
              save.reset();
              setAsking(true);
            }}
          >
            {TEAM.review}
          </Button>
        </div>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={TEAM.confirm.title(team.name)}
          confirmLabel={TEAM.confirm.button}
          isBusy={save.isPending}
          error={save.error ?? undefined}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <ul className="stack stack--4 members__list">
            {instructions.map((instruction) => (
              <li key={JSON.stringify(instruction)}>{wordsOf(instruction, team)}</li>
            ))}
          </ul>
          <p className="muted">{TEAM.confirm.effect(team.members?.totalCount ?? 0)}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function wordsOf(instruction: TeamInstruction, team: Team): React.ReactNode {
  const { confirm } = TEAM;
  switch (instruction.kind) {
    case 'updateName':
      return confirm.name(team.name, instruction.value);
    case 'updateDescription':
      return confirm.description;
    case 'addCustomRoles':
      return confirm.added(instruction.values.join(', '));
    case 'removeCustomRoles':
      return confirm.removed(instruction.values.join(', '));
    case 'removeRoleAttribute':
      return (
        <>
          {confirm.attributes} <del>{instruction.key}</del>
        </>
      );
    case 'addRoleAttribute':
    case 'updateRoleAttribute':
      return (
        <>
          {confirm.attributes}{' '}
          <code>
            {instruction.key} = {instruction.values.join(', ')}
          </code>
        </>
      );
    default:
      return null;
  }
}
