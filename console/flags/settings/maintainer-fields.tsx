// Who looks after a flag: nobody, a person who is searched for, or a team.
import { useId, useState } from 'react';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { personName } from '../flag.ts';
import type { FlagDetail } from './flag-detail.ts';
import type { GeneralDraft, MaintainerKind } from './general-draft.ts';
import { useMemberSearch, useTeams } from './settings-queries.ts';
import { GENERAL_WORDS as WORDS } from './settings-words.ts';

export interface MaintainerFieldsProps {
  flag: FlagDetail;
  draft: GeneralDraft;
  onChange: (patch: Partial<GeneralDraft>) => void;
}

export function MaintainerFields({ flag, draft, onChange }: MaintainerFieldsProps) {
  return (
    <div className="stack">
      <Field label={WORDS.maintainer}>
        <SelectInput
          value={draft.maintainerKind}
          onValue={(kind) => onChange({ maintainerKind: kind as MaintainerKind })}
          options={Object.entries(WORDS.maintainers).map(([value, label]) => ({ value, label }))}
        />
      </Field>
      {draft.maintainerKind === 'member' && (
        <PersonField
          email={flag.maintainerId === draft.member ? (flag._maintainer?.email ?? '') : ''}
          isChosen={draft.member !== ''}
          onChoose={(member) => onChange({ member })}
        />
      )}
      {draft.maintainerKind === 'team' && (
        <TeamField team={draft.team} flag={flag} onChoose={(team) => onChange({ team })} />
      )}
    </div>
  );
}

interface PersonFieldProps {
  /** Of the present maintainer. */
  email: string;
  isChosen: boolean;
  onChoose: (id: string) => void;
}

/** The browser completes addresses; whose address stands there is chosen. */
function PersonField({ email, isChosen, onChoose }: PersonFieldProps) {
  const list = useId();
  const [typed, setTyped] = useState(email);
  const { data } = useMemberSearch(typed.trim(), true);
  const found = data?.items ?? [];
  const type = (text: string) => {
    setTyped(text);
    onChoose(found.find((one) => one.email === text.trim())?._id ?? '');
  };
  // What was pasted whole is found a moment later.
  const exact = found.find((one) => one.email === typed.trim())?._id;
  if (!isChosen && exact !== undefined && typed !== '') onChoose(exact);
  return (
    <Field
      label={WORDS.person}
      help={WORDS.personHelp}
      error={!isChosen && typed.trim() !== '' && WORDS.personMissing}
    >
      <TextInput list={list} autoComplete="off" value={typed} onValue={type} />
      <datalist id={list}>
        {found.map((one) => (
          <option key={one._id} value={one.email}>
            {personName(one)}
          </option>
        ))}
      </datalist>
    </Field>
  );
}

interface TeamFieldProps {
  flag: FlagDetail;
  team: string;
  onChoose: (key: string) => void;
}

function TeamField({ flag, team, onChoose }: TeamFieldProps) {
  const { data } = useTeams(true);
  const listed = data?.items ?? [];
  const present = flag._maintainerTeam;
  const own = present !== undefined && !listed.some(({ key }) => key === present.key) ? [present] : [];
  return (
    <Field label={WORDS.team}>
      <SelectInput
        value={team}
        onValue={onChoose}
        options={[
          { value: '', label: WORDS.chooseTeam },
          ...[...own, ...listed].map(({ key, name }) => ({ value: key, label: name })),
        ]}
      />
    </Field>
  );
}
