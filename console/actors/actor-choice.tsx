// One of the caller's Actors, or another that they may run, by its name.
import { useState } from 'react';
import { Field } from '../ui/field.tsx';
import { SelectInput, TextInput } from '../ui/input.tsx';
import { useOwnActors } from './queries.ts';

const WORDS = {
  actor: 'Actor',
  choose: 'Choose an Actor',
  other: 'Another Actor, by its name',
  otherName: 'Its name',
  otherHelp: 'user~name, as in the address of its page.',
};

const OTHER = '*';

export interface ActorChoiceProps {
  /** An id, or `user~name`; empty where none is chosen yet. */
  value: string;
  error?: string | false | undefined;
  onChange: (value: string) => void;
}

export function ActorChoice({ value, error, onChange }: ActorChoiceProps) {
  const { actors = [] } = useOwnActors();
  const [isOther, setOther] = useState(false);
  const isOwn = actors.some(({ id }) => id === value);
  const isTyped = isOther || (value !== '' && actors.length > 0 && !isOwn);
  return (
    <>
      <Field label={WORDS.actor} error={isTyped ? undefined : error}>
        <SelectInput
          value={isTyped ? OTHER : value}
          onValue={(next) => {
            setOther(next === OTHER);
            onChange(next === OTHER ? '' : next);
          }}
          options={[
            { value: '', label: WORDS.choose },
            ...actors.map(({ id, title, name }) => ({ value: id, label: title || name })),
            { value: OTHER, label: WORDS.other },
          ]}
        />
      </Field>
      {isTyped && (
        <Field label={WORDS.otherName} help={WORDS.otherHelp} error={error}>
          <TextInput isMono maxLength={200} spellCheck={false} value={value} onValue={onChange} />
        </Field>
      )}
    </>
  );
}
