// Which fields are columns, how wide they are, and which stay in view: a list with a search.
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { formatCount } from '../../../ui/format.ts';
import { FilterInput } from '../../../ui/input.tsx';
import { Popover } from '../../../ui/popover.tsx';
import { widthOf, withinBounds } from './column-widths.ts';
import { WORDS } from './dataset-words.ts';
import type { Field } from './fields.ts';

export interface ColumnChooserProps {
  names: readonly string[];
  /** Those that are shown, in their order. */
  columns: readonly Field[];
  pinned: readonly string[];
  widths: Readonly<Record<string, number>>;
  /** Undefined: the usual ones. */
  onChange: (names: readonly string[] | undefined) => void;
  onPin: (name: string, isPinned: boolean) => void;
  onWidth: (name: string, width: number) => void;
}

export function ColumnChooser(props: ColumnChooserProps) {
  const { names, columns: shown } = props;
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
      <Choices {...props} />
    </Popover>
  );
}

/** More are found by typing. */
const MOST_SHOWN = 200;

/** More would leave no room for the others. */
const MOST_PINNED = 3;
const STEP = 40;

function Choices({ names, columns, pinned, widths, onChange, onPin, onWidth }: ColumnChooserProps) {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const shown = [...byName.keys()];
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
        {found.map((name) => {
          const column = byName.get(name);
          return (
            <div key={name} className="row row--4">
              <div className="grow">
                <Checkbox
                  label={<span className="mono t12 break">{name}</span>}
                  isChecked={column !== undefined}
                  onChange={(isOn) => toggle(name, isOn)}
                />
              </div>
              {column !== undefined && (
                <ColumnButtons
                  name={name}
                  width={widthOf(column, widths)}
                  isPinned={pinned.includes(name)}
                  mayPin={pinned.length < MOST_PINNED}
                  onPin={onPin}
                  onWidth={onWidth}
                />
              )}
            </div>
          );
        })}
        {found.length === 0 && <p className="muted t13">{WORDS.noColumn}</p>}
      </div>
    </div>
  );
}

interface ColumnButtonsProps {
  name: string;
  width: number;
  isPinned: boolean;
  mayPin: boolean;
  onPin: (name: string, isPinned: boolean) => void;
  onWidth: (name: string, width: number) => void;
}

function ColumnButtons({ name, width, isPinned, mayPin, onPin, onWidth }: ColumnButtonsProps) {
  return (
    <>
      <Button
        tone="ghost"
        size="xs"
        icon="minus"
        label={WORDS.narrower(name)}
        onClick={() => onWidth(name, withinBounds(width - STEP))}
      />
      <Button
        tone="ghost"
        size="xs"
        icon="plus"
        label={WORDS.wider(name)}
        onClick={() => onWidth(name, withinBounds(width + STEP))}
      />
      <Button
        tone={isPinned ? 'quiet' : 'ghost'}
        size="xs"
        icon="pin"
        label={WORDS.pin(name)}
        aria-pressed={isPinned}
        disabledReason={isPinned || mayPin ? undefined : WORDS.mostPinned}
        onClick={() => onPin(name, !isPinned)}
      />
    </>
  );
}
