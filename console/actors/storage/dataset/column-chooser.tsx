// Which fields are columns: a list with a search.
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { formatCount } from '../../../ui/format.ts';
import { FilterInput } from '../../../ui/input.tsx';
import { Popover } from '../../../ui/popover.tsx';
import { WORDS } from './dataset-words.ts';

export interface ColumnChooserProps {
  names: readonly string[];
  shown: readonly string[];
  /** Undefined: the usual ones. */
  onChange: (names: readonly string[] | undefined) => void;
}

export function ColumnChooser({ names, shown, onChange }: ColumnChooserProps) {
  const label = WORDS.columns(formatCount(shown.length), formatCount(names.length));
  return (
    <Popover
      label={WORDS.chooseColumns}
      alignment="end"
      trigger={
        <Button icon="columns" hasCaret>
          {label}
        </Button>
      }
    >
      <Choices names={names} shown={shown} onChange={onChange} />
    </Popover>
  );
}

/** More are found by typing. */
const MOST_SHOWN = 200;

function Choices({ names, shown, onChange }: ColumnChooserProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(wanted)).slice(0, MOST_SHOWN);
  const toggle = (name: string, isOn: boolean) => {
    const next = names.filter((one) => (one === name ? isOn : shown.includes(one)));
    if (next.length > 0) onChange(next);
  };
  return (
    <div className="stack ds-columns">
      <FilterInput label={WORDS.findColumn} hasSlashKey={false} value={text} onChange={setText} />
      <div className="row row--4">
        <Button size="sm" onClick={() => onChange(names)}>
          {WORDS.allColumns}
        </Button>
        <Button size="sm" onClick={() => onChange(undefined)}>
          {WORDS.usualColumns}
        </Button>
      </div>
      <div className="stack stack--4 ds-columns__list" role="group" aria-label={WORDS.chooseColumns}>
        {found.map((name) => (
          <Checkbox
            key={name}
            label={<span className="mono t12">{name}</span>}
            isChecked={shown.includes(name)}
            onChange={(isOn) => toggle(name, isOn)}
          />
        ))}
        {found.length === 0 && <p className="muted t13">{WORDS.noColumn}</p>}
      </div>
    </div>
  );
}
