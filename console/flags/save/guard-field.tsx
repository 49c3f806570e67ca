// The key of a guarded environment, typed by hand. Enter does nothing here.
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { TextInput } from '../../ui/input.tsx';
import { SAVE_WORDS as WORDS } from './save-words.ts';

export interface GuardFieldProps {
  place: string;
  value: string;
  onChange: (value: string) => void;
}

export function GuardField({ place, value, onChange }: GuardFieldProps) {
  return (
    <div className="guard">
      <p className="guard__t">
        <Icon name="shield" />
        {WORDS.guarded}
      </p>
      <Field label={WORDS.typeKey(place)} help={WORDS.typeHelp}>
        <TextInput
          isMono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={value}
          onValue={onChange}
        />
      </Field>
    </div>
  );
}
