// Role attributes as rows: a name, and the values that stand in for it.
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { attributeFault, type AttributeRow } from './team-draft.ts';
import { TEAM } from './teams-words.ts';

export interface AttributeRowsProps {
  rows: readonly AttributeRow[];
  onChange: (rows: AttributeRow[]) => void;
}

export function AttributeRows({ rows, onChange }: AttributeRowsProps) {
  const fault = attributeFault(rows);
  const set = (at: number, patch: Partial<AttributeRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...patch } : row)));
  return (
    <fieldset className="stack stack--8">
      <legend className="fld__l">
        {TEAM.attributes} <em className="faint">{TEAM.attributesHelp}</em>
      </legend>
      {rows.map((row, index) => (
        // They are told apart by their place while their names are typed.
        <div key={index} className="teams__attribute">
          <TextInput
            isMono
            autoComplete="off"
            spellCheck={false}
            aria-label={TEAM.attributeName(index + 1)}
            placeholder={TEAM.nameHint}
            value={row.key}
            onValue={(key) => set(index, { key })}
          />
          <TextInput
            isMono
            autoComplete="off"
            spellCheck={false}
            aria-label={TEAM.attributeValues(index + 1)}
            placeholder={TEAM.valuesHint}
            value={row.values}
            onValue={(values) => set(index, { values })}
          />
          <Button
            tone="ghost"
            icon="trash"
            label={TEAM.removeAttribute(row.key)}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {fault !== undefined && <FieldError>{fault}</FieldError>}
      <div>
        <Button size="sm" icon="plus" onClick={() => onChange([...rows, { key: '', values: '' }])}>
          {TEAM.addAttribute}
        </Button>
      </div>
    </fieldset>
  );
}
