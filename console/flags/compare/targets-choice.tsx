// The environments that are copied to: one or several.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { FilterInput } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import { EnvironmentName } from '../environment-name.tsx';
import type { Environment } from '../queries.ts';
import { COMPARE } from './compare-words.ts';

/** With more than these one is found by its name. */
const FEW = 8;

interface TargetsChoiceProps {
  environments: readonly Environment[];
  chosen: readonly string[];
  onChange: (keys: string[]) => void;
}

export function TargetsChoice({ environments, chosen, onChange }: TargetsChoiceProps) {
  const [words, setWords] = useState('');
  const sought = words.trim().toLowerCase();
  const found = environments.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(sought));
  return (
    <Popover
      label={COMPARE.targets}
      trigger={
        <Button size="sm" hasCaret>
          {COMPARE.targetsOf(chosen)}
        </Button>
      }
    >
      <fieldset className="stack stack--8 compare__targets">
        <legend className="fld__l">{COMPARE.targets}</legend>
        {environments.length > FEW && (
          <FilterInput label={COMPARE.targets} value={words} onChange={setWords} hasSlashKey={false} />
        )}
        {found.map((environment) => (
          <Checkbox
            key={environment.key}
            label={<EnvironmentName environment={environment} />}
            isChecked={chosen.includes(environment.key)}
            onChange={(isOn) =>
              onChange(isOn ? [...chosen, environment.key] : chosen.filter((key) => key !== environment.key))
            }
          />
        ))}
      </fieldset>
    </Popover>
  );
}
