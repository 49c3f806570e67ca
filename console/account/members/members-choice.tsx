// Several of many: custom roles or teams, narrowed by a few letters where they are many.
import { useState } from 'react';
import { Checkbox } from '../../ui/choice.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import type { Givable } from './members-queries.ts';
import { INVITE } from './members-words.ts';

/** Above it the list has a field that narrows it. */
const MANY = 8;

interface ChoiceListProps {
  label: string;
  help?: string;
  /** Undefined while it is not known, or may not be seen: then there is nothing to choose. */
  given: Givable | undefined;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  isDisabled?: boolean;
}

export function ChoiceList({ label, help, given, chosen, onChange, isDisabled }: ChoiceListProps) {
  const [text, setText] = useState('');
  const items = given?.items ?? [];
  // What is held stays choosable, also where it is not among those that were listed.
  const missing = chosen.filter((key) => !items.some((item) => item.key === key));
  const all = [...missing.map((key) => ({ key, name: key })), ...items];
  if (all.length === 0) return null;
  const words = text.trim().toLowerCase();
  const shown = all.filter(({ key, name }) => `${name} ${key}`.toLowerCase().includes(words));
  const more = (given?.totalCount ?? 0) - items.length;
  return (
    <fieldset className="stack stack--8">
      <legend className="fld__l">
        {label} {help !== undefined && <em className="faint">{help}</em>}
      </legend>
      {all.length > MANY && (
        <TextInput
          controlSize="sm"
          aria-label={INVITE.filter}
          placeholder={INVITE.filter}
          value={text}
          onValue={setText}
        />
      )}
      <div className="members__choices">
        {shown.map(({ key, name }) => (
          <Checkbox
            key={key}
            label={name}
            isChecked={chosen.includes(key)}
            isDisabled={isDisabled}
            onChange={(isOn) => onChange(isOn ? [...chosen, key] : chosen.filter((one) => one !== key))}
          />
        ))}
        {shown.length === 0 && <p className="t13 muted">{INVITE.nothing}</p>}
      </div>
      {more > 0 && <p className="help">{INVITE.more(formatCount(more))}</p>}
    </fieldset>
  );
}
