// A secret field: typed once, sent once, and after that only replaced or removed.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { Status } from '../../ui/status.tsx';
import type { InputFieldProps } from './input-field.tsx';
import { INPUT_WORDS } from './input-words.ts';

export function SecretValue({ name, field, isRequired, draft, error }: InputFieldProps) {
  const [isReplaced, setReplaced] = useState(false);
  const isKept = Object.hasOwn(draft.kept, name);
  const label = field.title ?? name;
  const help =
    field.description === undefined
      ? INPUT_WORDS.secret.keep
      : `${field.description} ${INPUT_WORDS.secret.keep}`;
  const typed = draft.typed[name];
  const isObject = field.type === 'object' || field.type === 'array';
  if (isKept && !isReplaced)
    return (
      <Field label={label} help={help} error={error} optional={!isRequired}>
        {(id) => (
          <span className="row row--wrap" id={id}>
            <Status tone="ok" icon="lock">
              {INPUT_WORDS.secret.isSet}
            </Status>
            <Button size="sm" onClick={() => setReplaced(true)}>
              {INPUT_WORDS.secret.replace}
            </Button>
            <Button size="sm" tone="ghost" onClick={() => draft.setSecret(name, undefined)}>
              {INPUT_WORDS.secret.remove}
            </Button>
          </span>
        )}
      </Field>
    );
  return (
    <Field label={label} help={help} error={error} optional={!isRequired}>
      {isObject ? (
        <TextArea
          isMono
          className="input-json"
          rows={4}
          spellCheck={false}
          autoComplete="off"
          defaultValue={typed === undefined ? '' : JSON.stringify(typed)}
          onValue={(text) => draft.setSecret(name, parsed(text))}
        />
      ) : (
        <TextInput
          type="password"
          // A password manager must not fill in its own.
          autoComplete="new-password"
          value={typeof typed === 'string' ? typed : ''}
          onValue={(text) => draft.setSecret(name, text)}
        />
      )}
    </Field>
  );
}

/** What is no JSON yet is a text, which the API refuses. */
function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
