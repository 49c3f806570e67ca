// Who looks after a flag: nobody, a person who is searched for, or a team.
import { useEffect, useId } from 'react';
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
          typed={draft.memberEmail}
          isChosen={draft.member !== ''}
          onType={(memberEmail, member) => onChange({ memberEmail, member })}
        />
      )}
      {draft.maintainerKind === 'team' && (
        <TeamField team={draft.team} flag={flag} onChoose={(team) => onChange({ team })} />
      )}
    </div>
  );
}

interface PersonFieldProps {
  typed: string;
  isChosen: boolean;
  /** The id is empty where nobody has this address. */
  onType: (email: string, id: string) => void;
}

/** The browser completes addresses; whose address stands there is chosen. */
function PersonField({ typed, isChosen, onType }: PersonFieldProps) {
  const list = useId();
  const { data } = useMemberSearch(typed.trim(), true);
  const found = data?.items ?? [];
  const idOf = (email: string) => found.find((one) => one.email === email.trim())?._id ?? '';
  // What was pasted whole is found a moment later.
  const late = isChosen ? '' : idOf(typed);
  useEffect(() => {
    if (late !== '') onType(typed, late);
  }, [late, typed, onType]);
  return (
    <Field
      label={WORDS.person}
      help={WORDS.personHelp}
      error={!isChosen && typed.trim() !== '' && WORDS.personMissing}
    >
      <TextInput
        list={list}
        autoComplete="off"
        value={typed}
        onValue={(email) => onType(email, idOf(email))}
      />
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
