// A list of names: each with a button to remove it, and a field that completes from those that are known.
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';

const ADD = 'Add';

export interface NamesFieldProps {
  label: string;
  help?: string | undefined;
  names: readonly string[];
  /** To complete from. */
  known?: readonly string[] | undefined;
  removeLabel: (name: string) => string;
  /** What was typed, as a name. */
  toName?: ((text: string) => string) | undefined;
  /** Why it cannot be added to those that are there. */
  problemOf?: ((name: string, names: readonly string[]) => string | undefined) | undefined;
  onChange: (names: string[]) => void;
}

export function NamesField(props: NamesFieldProps) {
  const { label, help, names, known = [], removeLabel, toName, problemOf, onChange } = props;
  const list = useId();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const add = () => {
    const text = typed.trim();
    const name = toName?.(text) ?? text;
    const bad = name === '' || names.includes(name) ? undefined : problemOf?.(name, names);
    setProblem(bad);
    if (bad !== undefined) return;
    if (name !== '' && !names.includes(name)) onChange([...names, name]);
    setTyped('');
  };
  return (
    <div className="stack stack--8">
      <Field label={label} help={help} error={problem}>
        {(id, describedBy) => (
          <div className="row row--4">
            <TextInput
              id={id}
              aria-describedby={describedBy}
              className="grow"
              list={list}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={typed}
              onValue={(text) => {
                setTyped(text);
                setProblem(undefined);
              }}
              onBlur={add}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                add();
              }}
            />
            <Button icon="plus" onClick={add}>
              {ADD}
            </Button>
          </div>
        )}
      </Field>
      <datalist id={list}>
        {known
          .filter((name) => !names.includes(name))
          .map((name) => (
            <option key={name}>{name}</option>
          ))}
      </datalist>
      {names.length > 0 && (
        <ul className="row row--4 row--wrap" aria-label={label}>
          {names.map((name) => (
            <li key={name} className="tag">
              <span className="rset__word">{name}</span>
              <Button
                tone="ghost"
                size="xs"
                icon="x"
                label={removeLabel(name)}
                onClick={() => onChange(names.filter((one) => one !== name))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
