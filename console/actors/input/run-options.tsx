// With which build, how much memory and how long a run goes.
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { INPUT_WORDS } from './input-words.ts';

export interface RunOptionsDraft {
  build: string;
  memory: string;
  timeout: string;
}

export const MEMORY_SIZES = [128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768];

export function isTimeout(text: string): boolean {
  return /^\d{1,8}$/.test(text.trim());
}

export interface RunOptionsFieldsProps {
  value: RunOptionsDraft;
  onChange: (value: RunOptionsDraft) => void;
}

export function RunOptionsFields({ value, onChange }: RunOptionsFieldsProps) {
  const sizes = [...new Set([...MEMORY_SIZES, Number(value.memory)])]
    .filter((size) => size > 0)
    .toSorted((a, b) => a - b);
  return (
    <div className="input-options">
      <Field label={INPUT_WORDS.build} help={INPUT_WORDS.buildHelp}>
        <TextInput
          isMono
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          value={value.build}
          onValue={(build) => onChange({ ...value, build })}
        />
      </Field>
      <Field label={INPUT_WORDS.memory}>
        <SelectInput
          value={value.memory}
          onValue={(memory) => onChange({ ...value, memory })}
          options={sizes.map((size) => ({
            value: String(size),
            label: INPUT_WORDS.megabytes(size.toLocaleString()),
          }))}
        />
      </Field>
      <Field
        label={INPUT_WORDS.timeout}
        help={INPUT_WORDS.timeoutHelp}
        error={isTimeout(value.timeout) ? undefined : INPUT_WORDS.wrongTimeout}
      >
        <TextInput
          inputMode="numeric"
          value={value.timeout}
          onValue={(timeout) => onChange({ ...value, timeout })}
        />
      </Field>
    </div>
  );
}
