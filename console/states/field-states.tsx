import { useState } from 'react';
import { Field } from '../ui/field.tsx';
import { FilterInput, SelectInput, TextArea, TextInput } from '../ui/input.tsx';
import { TypedKey } from '../ui/typed-key.tsx';
import { nothing } from './sample.tsx';

export function FieldStates() {
  const [filter, setFilter] = useState('');
  const [typed, setTyped] = useState('produ');
  return (
    <>
      <Field label="Name" help="Others see it in the audit log.">
        <TextInput placeholder="price-report" onChange={nothing} />
      </Field>
      <Field label="Key" error="No spaces. Try checkout-v2b.">
        <TextInput isMono defaultValue="checkout v2" />
      </Field>
      <Field label="Comment" optional end="0 of 500">
        {(id, describedBy) => <TextArea id={id} aria-describedby={describedBy} rows={2} />}
      </Field>
      <Field label="Role" error="Choose a role." help="What this person may do.">
        <SelectInput
          defaultValue=""
          options={[
            { value: '', label: 'Choose…' },
            { value: 'reader', label: 'Reader' },
            { value: 'owner', label: 'Owner', isDisabled: true },
          ]}
        />
      </Field>
      <Field label="Not to be changed" help="It comes from the configuration file.">
        <TextInput isMono readOnly value="/data" />
      </Field>
      <TypedKey wanted="production" value={typed} onChange={setTyped} />
      <FilterInput label="Filter tokens" value={filter} onChange={setFilter} />
      <FilterInput label="Filter flags" value="tag:web owner:me" onChange={nothing} hasSlashKey={false} />
    </>
  );
}
