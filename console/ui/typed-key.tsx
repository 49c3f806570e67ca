// A key that is typed by hand before something is done. Enter does nothing here.
import type { ReactNode } from 'react';
import { Field } from './field.tsx';
import { TextInput } from './input.tsx';
import { words } from './words.ts';

export interface TypedKeyProps {
  /** What must be typed. */
  wanted: string;
  /** Where the usual words do not do. */
  label?: ReactNode;
  help?: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

export function TypedKey({ wanted, label, help, value, onChange }: TypedKeyProps) {
  const usual = (
    <>
      {words.typeToConfirm} <code className="key">{wanted}</code>
    </>
  );
  return (
    <Field label={label ?? usual} help={help}>
      <TextInput
        isMono
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        onValue={onChange}
      />
    </Field>
  );
}
