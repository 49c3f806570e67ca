// Asks for the present password, before somebody changes how they log in.
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { PASSWORD } from './settings-words.ts';

export function PresentPassword({ value, onValue }: { value: string; onValue: (text: string) => void }) {
  return (
    <Field label={PASSWORD.current} help={PASSWORD.currentHelp}>
      <TextInput
        type="password"
        autoComplete="current-password"
        data-autofocus
        value={value}
        onValue={onValue}
      />
    </Field>
  );
}
