// Name, description and base permissions of a role.
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import type { RoleFields } from './role-draft.ts';
import { ROLE } from './roles-words.ts';

export interface RoleFieldsFormProps {
  fields: RoleFields;
  nameError?: string | undefined;
  onChange: (patch: Partial<RoleFields>) => void;
}

export function RoleFieldsForm({ fields, nameError, onChange }: RoleFieldsFormProps) {
  return (
    <>
      <Field label={ROLE.name} error={nameError}>
        <TextInput
          maxLength={256}
          autoComplete="off"
          value={fields.name}
          onValue={(name) => onChange({ name })}
        />
      </Field>
      <Field label={ROLE.description} optional>
        <TextArea rows={2} value={fields.description} onValue={(description) => onChange({ description })} />
      </Field>
      <Field label={ROLE.base}>
        <SelectInput
          value={fields.basePermissions}
          onValue={(basePermissions) => onChange({ basePermissions })}
          options={[...ROLE.bases]}
        />
      </Field>
    </>
  );
}
