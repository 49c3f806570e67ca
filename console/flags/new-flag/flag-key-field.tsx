// The key of a new flag: it follows the name until somebody types their own, and says at once whether it can be had.
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { TextInput } from '../../ui/input.tsx';
import type { NamingConvention } from './flag-key.ts';
import type { KeyState } from './new-flag-queries.ts';
import { NEW_FLAG_WORDS as WORDS } from './new-flag-words.ts';

export interface FlagKeyFieldProps {
  value: string;
  /** Whether it was typed by hand. */
  isOwn: boolean;
  convention: NamingConvention | undefined;
  error: string | undefined;
  state: KeyState;
  /** Empty goes back to the name. */
  onChange: (key: string) => void;
}

export function FlagKeyField({ value, isOwn, convention, error, state, onChange }: FlagKeyFieldProps) {
  return (
    <Field
      label={WORDS.key}
      help={[WORDS.keyHelp, conventionWords(convention)].filter(Boolean).join(' ')}
      error={error}
      end={error === undefined && <Availability state={state} />}
    >
      <div className="row">
        <TextInput
          isMono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={value}
          onValue={onChange}
        />
        {isOwn && <Button onClick={() => onChange('')}>{WORDS.fromName}</Button>}
      </div>
    </Field>
  );
}

function Availability({ state }: { state: KeyState }) {
  return (
    <span role="status" className={state === 'free' ? 'ok' : undefined}>
      {state === 'checking' && WORDS.checking}
      {state === 'free' && (
        <>
          <Icon name="ok" size={14} /> {WORDS.free}
        </>
      )}
    </span>
  );
}

function conventionWords({ case: wanted = 'none', prefix = '' }: NamingConvention = {}): string | undefined {
  const rules = [
    ...(prefix === '' ? [] : [WORDS.conventionPrefix(prefix)]),
    ...(wanted === 'none' ? [] : [WORDS.conventionCase(prefix + WORDS.cases[wanted])]),
  ];
  return rules.length === 0 ? undefined : WORDS.convention(rules.join(', '));
}
