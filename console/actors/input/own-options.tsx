// Options of runs that a task or an action of a schedule has of its own. What is left empty is as the Actor has it.
import '../../styles/input.css';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { INPUT_WORDS } from './input-words.ts';
import { isTimeout, MEMORY_SIZES } from './run-options.tsx';

/** As the API has them; null where they are those of the Actor. */
export interface OwnOptions {
  build: string | null;
  timeoutSecs: number | null;
  memoryMbytes: number | null;
  maxItems: number | null;
  restartOnError: boolean | null;
}

export interface OwnOptionsDraft {
  build: string;
  timeout: string;
  memory: string;
  maxItems: string;
  restart: '' | 'yes' | 'no';
}

export function ownDraftOf(options: Partial<OwnOptions> | null | undefined): OwnOptionsDraft {
  const { build, timeoutSecs, memoryMbytes, maxItems, restartOnError } = options ?? {};
  return {
    build: build ?? '',
    timeout: String(timeoutSecs ?? ''),
    memory: String(memoryMbytes ?? ''),
    maxItems: String(maxItems ?? ''),
    restart: restartOnError == null ? '' : restartOnError ? 'yes' : 'no',
  };
}

/** Of a draft without problems. */
export function ownOptionsOf({ build, timeout, memory, maxItems, restart }: OwnOptionsDraft): OwnOptions {
  const numberOf = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    build: build.trim() === '' ? null : build.trim(),
    timeoutSecs: numberOf(timeout),
    memoryMbytes: numberOf(memory),
    maxItems: numberOf(maxItems),
    restartOnError: restart === '' ? null : restart === 'yes',
  };
}

const isCount = (text: string) => /^[1-9]\d{0,8}$/.test(text.trim());

/** Why it cannot be saved. */
export function ownOptionsProblem({ timeout, maxItems }: OwnOptionsDraft): string | undefined {
  if (timeout.trim() !== '' && !isTimeout(timeout)) return INPUT_WORDS.wrongTimeout;
  return maxItems.trim() !== '' && !isCount(maxItems) ? INPUT_WORDS.wrongMaxItems : undefined;
}

export interface OwnOptionsFieldsProps {
  value: OwnOptionsDraft;
  /** Of the Actor, where they are known. */
  defaults:
    | { build: string; timeoutSecs: number; memoryMbytes: number; restartOnError?: boolean }
    | undefined;
  onChange: (value: OwnOptionsDraft) => void;
}

export function OwnOptionsFields({ value, defaults, onChange }: OwnOptionsFieldsProps) {
  const change = (patch: Partial<OwnOptionsDraft>) => onChange({ ...value, ...patch });
  const sizes = [...new Set([...MEMORY_SIZES, Number(value.memory)])]
    .filter((size) => size > 0)
    .toSorted((a, b) => a - b);
  const { own } = INPUT_WORDS;
  return (
    <div className="input-options">
      <Field label={INPUT_WORDS.build} help={INPUT_WORDS.buildHelp}>
        <TextInput
          isMono
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          placeholder={defaults?.build}
          value={value.build}
          onValue={(build) => change({ build })}
        />
      </Field>
      <Field label={INPUT_WORDS.memory}>
        <SelectInput
          value={value.memory}
          onValue={(memory) => change({ memory })}
          options={[
            {
              value: '',
              label: own(defaults && INPUT_WORDS.megabytes(formatCount(defaults.memoryMbytes))),
            },
            ...sizes.map((size) => ({
              value: String(size),
              label: INPUT_WORDS.megabytes(formatCount(size)),
            })),
          ]}
        />
      </Field>
      <Field
        label={INPUT_WORDS.timeout}
        help={INPUT_WORDS.timeoutHelp}
        error={value.timeout.trim() === '' || isTimeout(value.timeout) ? undefined : INPUT_WORDS.wrongTimeout}
      >
        <TextInput
          inputMode="numeric"
          placeholder={defaults && String(defaults.timeoutSecs)}
          value={value.timeout}
          onValue={(timeout) => change({ timeout })}
        />
      </Field>
      <Field
        label={INPUT_WORDS.maxItems}
        help={INPUT_WORDS.maxItemsHelp}
        error={
          value.maxItems.trim() === '' || isCount(value.maxItems) ? undefined : INPUT_WORDS.wrongMaxItems
        }
      >
        <TextInput inputMode="numeric" value={value.maxItems} onValue={(maxItems) => change({ maxItems })} />
      </Field>
      <Field label={INPUT_WORDS.restart}>
        <SelectInput
          value={value.restart}
          onValue={(restart) => change({ restart: restart as OwnOptionsDraft['restart'] })}
          options={[
            {
              value: '',
              label: own(
                defaults?.restartOnError === undefined
                  ? undefined
                  : defaults.restartOnError
                    ? INPUT_WORDS.yes
                    : INPUT_WORDS.no,
              ),
            },
            { value: 'yes', label: INPUT_WORDS.yes },
            { value: 'no', label: INPUT_WORDS.no },
          ]}
        />
      </Field>
    </div>
  );
}
