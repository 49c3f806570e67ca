// Tags: those there are with a button to remove each, and a field that completes from tags that others have.
import { useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { TextInput } from '../ui/input.tsx';

const WORDS = {
  add: 'Add',
  remove: (tag: string) => `Remove the tag ${tag}`,
  bad: 'A tag has letters, digits, “.”, “_” and “-”, at most 64 of them.',
  help: 'Enter adds a tag.',
};
const TAG = /^[a-z0-9_.-]{1,64}$/i;

export interface TagsInputProps {
  label: string;
  tags: readonly string[];
  /** To complete from. */
  known?: readonly string[] | undefined;
  onChange: (tags: string[]) => void;
}

export function TagsInput({ label, tags, known = [], onChange }: TagsInputProps) {
  const list = useId();
  const [typed, setTyped] = useState('');
  const [isBad, setBad] = useState(false);
  const add = () => {
    const wanted = typed.split(/[\s,]+/).filter((tag) => tag !== '');
    if (!wanted.every((tag) => TAG.test(tag))) return setBad(true);
    if (wanted.length > 0) onChange([...new Set([...tags, ...wanted])].toSorted());
    setTyped('');
    return setBad(false);
  };
  return (
    <div className="stack stack--8">
      <Field label={label} optional error={isBad && WORDS.bad} help={WORDS.help}>
        <div className="row row--4">
          <TextInput
            className="grow"
            list={list}
            autoComplete="off"
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
          <Button icon="plus" onClick={add}>
            {WORDS.add}
          </Button>
        </div>
      </Field>
      <datalist id={list}>
        {known
          .filter((tag) => !tags.includes(tag))
          .map((tag) => (
            <option key={tag}>{tag}</option>
          ))}
      </datalist>
      {tags.length > 0 && (
        <ul className="row row--4 row--wrap" aria-label={label}>
          {tags.map((tag) => (
            <li key={tag} className="tag">
              {tag}
              <Button
                tone="ghost"
                size="xs"
                icon="x"
                label={WORDS.remove(tag)}
                onClick={() => onChange(tags.filter((one) => one !== tag))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
