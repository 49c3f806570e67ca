// The key of a guarded environment, typed by hand. Enter does nothing here.
import { Icon } from '../../ui/icon.tsx';
import { TypedKey } from '../../ui/typed-key.tsx';
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
      <TypedKey
        wanted={place}
        label={WORDS.typeKey(place)}
        help={WORDS.typeHelp}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}
