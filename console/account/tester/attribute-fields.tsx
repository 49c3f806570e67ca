// The role attributes that a policy names: what stands in for them while it is tested.
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { TESTER } from './tester-words.ts';

/** By name, as they were typed. */
export type TypedAttributes = Readonly<Record<string, string>>;

/** The names in `${roleAttribute/name}`. */
export function attributesIn(policy: string): string[] {
  const found = policy.matchAll(/\$\{roleAttribute\/([\w.-]+)\}/g);
  return [...new Set([...found].map(([, name]) => name!))].toSorted();
}

export function valuesOf(typed: TypedAttributes, names: readonly string[]): Record<string, string[]> {
  const entries = names.map((name) => [
    name,
    (typed[name] ?? '').split(/[\s,]+/).filter((word) => word !== ''),
  ]);
  return Object.fromEntries(entries.filter(([, values]) => values!.length > 0)) as Record<string, string[]>;
}

export interface AttributeFieldsProps {
  names: readonly string[];
  typed: TypedAttributes;
  onChange: (typed: TypedAttributes) => void;
}

export function AttributeFields({ names, typed, onChange }: AttributeFieldsProps) {
  return names.map((name) => (
    <Field key={name} label={TESTER.attribute(name)} help={TESTER.attributeHelp}>
      <TextInput
        isMono
        autoComplete="off"
        spellCheck={false}
        value={typed[name] ?? ''}
        onValue={(text) => onChange({ ...typed, [name]: text })}
      />
    </Field>
  ));
}
