// The name of a new Actor, as the API takes it.
import { Field } from '../ui/field.tsx';
import { TextInput } from '../ui/input.tsx';

interface ActorNameFieldProps {
  label: string;
  help: string;
  value: string;
  onValue: (name: string) => void;
}

export function ActorNameField({ label, help, value, onValue }: ActorNameFieldProps) {
  return (
    <Field label={label} help={help}>
      <TextInput
        isMono
        required
        minLength={3}
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onValue={onValue}
      />
    </Field>
  );
}
