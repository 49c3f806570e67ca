// The names of one half of a statement: each with a button to remove it, and a field that completes.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { ACTION, RESOURCE } from '../policy/policy.ts';
import { ROLE } from './roles-words.ts';
import type { Half, NamedHalf } from './statement-row-model.ts';

export interface NamesInputProps {
  half: Half;
  /** The number of the statement, from one. */
  at: number;
  value: NamedHalf;
  /** Of the datalist. */
  list: string;
  onChange: (value: NamedHalf) => void;
}

/** Tags of a resource have commas between them. */
const RULES = {
  actions: { form: ACTION, between: /[\s,]+/, bad: ROLE.badAction },
  resources: { form: RESOURCE, between: /\s+/, bad: ROLE.badResource },
} as const;

export function NamesInput({ half, at, value, list, onChange }: NamesInputProps) {
  const [typed, setTyped] = useState('');
  const [isBad, setBad] = useState(false);
  const { form, between, bad } = RULES[half];
  const label = ROLE[half];
  const add = () => {
    const wanted = typed.split(between).filter((name) => name !== '');
    if (!wanted.every((name) => form.test(name))) return setBad(true);
    if (wanted.length > 0) onChange({ ...value, names: [...new Set([...value.names, ...wanted])] });
    setTyped('');
    return setBad(false);
  };
  return (
    <div className="pol__half" role="group" aria-label={label}>
      <div className="row row--4">
        <span className="fld__l">{label}</span>
        <SelectInput
          controlSize="sm"
          className="pol__form"
          aria-label={ROLE.formOf(label, at)}
          value={value.isExcept ? 'but' : 'these'}
          onValue={(next) => onChange({ ...value, isExcept: next === 'but' })}
          options={[
            { value: 'these', label: ROLE.these },
            { value: 'but', label: ROLE.but },
          ]}
        />
      </div>
      {value.names.length > 0 ? (
        <ul className="row row--4 row--wrap">
          {value.names.map((name) => (
            <li key={name} className="tag pol__name">
              <code>{name}</code>
              <Button
                tone="ghost"
                size="xs"
                icon="x"
                label={ROLE.removeName(name, at)}
                onClick={() => onChange({ ...value, names: value.names.filter((one) => one !== name) })}
              />
            </li>
          ))}
        </ul>
      ) : (
        <p className="t12 muted">{ROLE.noNames}</p>
      )}
      <div className="row row--4">
        <TextInput
          isMono
          controlSize="sm"
          className="grow"
          list={list}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-label={ROLE.addTo(label, at)}
          aria-invalid={isBad || undefined}
          value={typed}
          onValue={(text) => {
            setTyped(text);
            setBad(false);
          }}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <Button size="sm" icon="plus" onClick={add}>
          {ROLE.add}
        </Button>
      </div>
      {isBad && <FieldError>{bad}</FieldError>}
    </div>
  );
}
