// Editors of single values: text, code, number, date, one or several of a list.
import { useId } from 'react';
import { Checkbox } from '../../ui/choice.tsx';
import { SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import type { EditorProps } from './input-field.tsx';
import { INPUT_WORDS } from './input-words.ts';

const CODE = new Set(['javascript', 'python']);

/** An empty text is none. */
const orNone = (text: string) => (text === '' ? undefined : text);

export function TextValue({ field, value, onValue }: EditorProps<string>) {
  const { editor = 'textfield', maxLength, enumSuggestedValues } = field;
  const isCode = CODE.has(editor);
  const id = useId();
  if (isCode || editor === 'textarea')
    return (
      <TextArea
        isMono={isCode}
        className={isCode ? 'input-json' : 'input-area'}
        rows={isCode ? 8 : 4}
        spellCheck={!isCode}
        autoCapitalize={isCode ? 'off' : undefined}
        placeholder={placeholderOf(field.example)}
        value={value ?? ''}
        onValue={(text) => onValue(orNone(text))}
      />
    );
  const list = enumSuggestedValues === undefined ? undefined : id;
  return (
    <>
      <TextInput
        maxLength={maxLength === undefined ? undefined : Math.max(maxLength, value?.length ?? 0)}
        list={list}
        placeholder={placeholderOf(field.example)}
        value={value ?? ''}
        onValue={(text) => onValue(orNone(text))}
      />
      {list !== undefined && (
        <datalist id={list}>
          {enumSuggestedValues?.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}

function placeholderOf(example: unknown): string | undefined {
  return typeof example === 'string' ? example : undefined;
}

/** What is no number is sent as it is, so that the API says what is wrong. */
export function NumberValue({ field, value, onValue }: EditorProps<string | number>) {
  const { minimum, maximum, unit, type } = field;
  return (
    <span className="row">
      <TextInput
        className="input-number"
        inputMode={type === 'integer' ? 'numeric' : 'decimal'}
        placeholder={rangeOf(minimum, maximum)}
        value={value === undefined ? '' : String(value)}
        onValue={(text) => onValue(numberOf(text))}
      />
      {unit !== undefined && <span className="t13 muted">{unit}</span>}
    </span>
  );
}

function numberOf(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  // While it is typed, `1.` and `-` are no numbers yet.
  const number = Number(trimmed);
  return Number.isFinite(number) && String(number) === trimmed ? number : text;
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): string | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  return `${minimum ?? ''} – ${maximum ?? ''}`.trim();
}

export function DateValue({ field, value, onValue }: EditorProps<string>) {
  const { dateType = 'absolute' } = field;
  const isDate = dateType === 'absolute' && (value === undefined || /^\d{4}-\d\d-\d\d$/.test(value));
  return (
    <TextInput
      className="input-number"
      type={isDate ? 'date' : 'text'}
      placeholder={isDate ? undefined : INPUT_WORDS.startDate}
      value={value ?? ''}
      onValue={(text) => onValue(orNone(text))}
    />
  );
}

export function ChoiceValue({ field, value, onValue }: EditorProps<string>) {
  const { enum: values = [], enumTitles = [] } = field;
  const isKnown = value === undefined || values.includes(value);
  return (
    <SelectInput
      value={value ?? ''}
      onValue={(text) => onValue(orNone(text))}
      options={[
        { value: '', label: INPUT_WORDS.none },
        ...(isKnown ? [] : [{ value, label: value }]),
        ...values
          .filter((one) => one !== '')
          .map((one, index) => ({ value: one, label: enumTitles[index] ?? one })),
      ]}
    />
  );
}

/** Several of a list, in its order. */
export function ChoicesValue({ label, field, value = [], onValue }: EditorProps<string[]>) {
  const { enum: values = [], enumTitles = [] } = field.items ?? {};
  const set = (one: string, isOn: boolean) => {
    const next = values.filter((each) => (each === one ? isOn : value.includes(each)));
    onValue(next.length === 0 ? undefined : next);
  };
  return (
    <div role="group" aria-label={label} className="stack stack--4">
      {values.map((one, index) => (
        <Checkbox
          key={one}
          label={enumTitles[index] ?? one}
          isChecked={value.includes(one)}
          onChange={(isOn) => set(one, isOn)}
        />
      ))}
    </div>
  );
}
