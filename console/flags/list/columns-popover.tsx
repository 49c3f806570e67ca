// Chooses the environments that the list has columns for, and their order.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { FilterInput } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { EnvironmentName } from '../environment-name.tsx';
import type { Environment } from '../queries.ts';
import { LIST_WORDS as WORDS } from './list-words.ts';

export interface ColumnsPopoverProps {
  environments: readonly Environment[];
  /** In their order. */
  chosen: readonly string[];
  onChoose: (keys: string[]) => void;
}

/** A table with more would say less. */
export const MAX_COLUMNS = 12;
/** Of those that are not chosen. */
const MAX_SHOWN = 50;

export function ColumnsPopover(props: ColumnsPopoverProps) {
  return (
    <Popover
      trigger={<Button icon="columns">{WORDS.columns}</Button>}
      label={WORDS.columnsLabel}
      alignment="end"
    >
      <Columns {...props} />
    </Popover>
  );
}

function Columns({ environments, chosen, onChoose }: ColumnsPopoverProps) {
  const [words, setWords] = useState('');
  const byKey = new Map(environments.map((environment) => [environment.key, environment]));
  const others = environments.filter((one) => !chosen.includes(one.key) && fits(one, words));
  const hidden = others.length - MAX_SHOWN;
  const move = (key: string, step: number) => {
    const at = chosen.indexOf(key);
    onChoose(chosen.toSpliced(at, 1).toSpliced(at + step, 0, key));
  };
  return (
    <div className="fl-columns stack">
      <FilterInput value={words} onChange={setWords} label={WORDS.findEnvironment} hasSlashKey={false} />
      <ul>
        {chosen.map((key, index) => (
          <li key={key} className="row">
            <div className="grow">
              <Checkbox
                isChecked
                isDisabled={chosen.length === 1}
                label={<EnvironmentName environment={byKey.get(key)} />}
                help={chosen.length === 1 ? WORDS.lastColumn : undefined}
                onChange={() => onChoose(chosen.filter((one) => one !== key))}
              />
            </div>
            {index > 0 && (
              <Button
                tone="ghost"
                size="xs"
                icon="aup"
                label={WORDS.moveUp(key)}
                onClick={() => move(key, -1)}
              />
            )}
            {index < chosen.length - 1 && (
              <Button
                tone="ghost"
                size="xs"
                icon="adown"
                label={WORDS.moveDown(key)}
                onClick={() => move(key, 1)}
              />
            )}
          </li>
        ))}
        {others.slice(0, MAX_SHOWN).map((environment) => (
          <li key={environment.key}>
            <Checkbox
              isChecked={false}
              isDisabled={chosen.length >= MAX_COLUMNS}
              label={<EnvironmentName environment={environment} />}
              onChange={() => onChoose([...chosen, environment.key])}
            />
          </li>
        ))}
      </ul>
      {words !== '' && others.length === 0 && <p className="t13 muted">{WORDS.noEnvironment}</p>}
      {hidden > 0 && <p className="help">{WORDS.moreEnvironments(hidden)}</p>}
      <p className="help">
        {chosen.length >= MAX_COLUMNS ? WORDS.mostColumns(MAX_COLUMNS) : WORDS.columnsHelp}
      </p>
    </div>
  );
}

function fits({ key, name }: Environment, words: string): boolean {
  const wanted = words.trim().toLowerCase();
  return key.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted);
}
