// One field of the form: the editor that the schema names, and JSON where the value has another shape than that.
import { Checkbox } from '../../ui/choice.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import type { InputField } from './input-schema.ts';
import { INPUT_WORDS } from './input-words.ts';
import { JsonValue } from './json-value.tsx';
import { KeyValueRows, SourceRows, TextRows } from './row-editors.tsx';
import { SecretValue } from './secret-value.tsx';
import { ChoiceValue, ChoicesValue, DateValue, NumberValue, TextValue } from './value-editors.tsx';
import type { InputDraft } from './use-input.ts';

export interface InputFieldProps {
  name: string;
  field: InputField;
  isRequired: boolean;
  draft: InputDraft;
  /** What the API says about it. */
  error: string | undefined;
}

/** What an editor needs to know. */
export interface EditorProps<Value> {
  label: string;
  field: InputField;
  value: Value | undefined;
  onValue: (value: unknown) => void;
}

export function InputFieldView({ name, field, isRequired, draft, error }: InputFieldProps) {
  const label = field.title ?? name;
  const onValue = (value: unknown) => draft.setField(name, value);
  const help = field.description;
  if (field.isSecret === true)
    return <SecretValue name={name} field={field} draft={draft} error={error} isRequired={isRequired} />;
  const value = draft.value[name];
  if (field.type === 'boolean' && (value === undefined || typeof value === 'boolean'))
    return (
      <div>
        <Checkbox label={label} help={help} isChecked={value === true} onChange={onValue} />
        {error !== undefined && <FieldError>{error}</FieldError>}
      </div>
    );
  return (
    <Field label={label} help={help} error={error} optional={!isRequired}>
      <ValueEditor label={label} field={field} value={value} onValue={onValue} />
    </Field>
  );
}

const SOURCE_KEYS: Readonly<Record<string, string>> = {
  requestListSources: 'url',
  globs: 'glob',
  pseudoUrls: 'purl',
};

function ValueEditor({ label, field, value, onValue }: EditorProps<unknown>) {
  const { editor, type } = field;
  const props = { label, field, onValue };
  if (isText(value) && type === 'string') {
    if (field.enum !== undefined) return <ChoiceValue {...props} value={value} />;
    if (editor === 'datepicker') return <DateValue {...props} value={value} />;
    return <TextValue {...props} value={value} />;
  }
  if ((type === 'integer' || type === 'number') && (isText(value) || typeof value === 'number'))
    return <NumberValue {...props} value={value} />;
  const key = SOURCE_KEYS[editor ?? ''];
  if (isList(value)) {
    if (field.items?.enum !== undefined && isListOf(value, isText))
      return <ChoicesValue {...props} value={value} />;
    if (editor === 'stringList' && isListOf(value, isText)) return <TextRows {...props} value={value} />;
    if (editor === 'keyValue' && isListOf(value, isPair)) return <KeyValueRows {...props} value={value} />;
    if (key !== undefined && isListOf(value, (one) => isSource(one, key)))
      return <SourceRows {...props} value={value} textKey={key} />;
  }
  const isOther = value !== undefined && value !== null && (key !== undefined || editor === 'stringList');
  return (
    <>
      <JsonValue {...props} value={value} />
      {isOther && <p className="help">{INPUT_WORDS.notShown}</p>}
    </>
  );
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isList(value: unknown): value is unknown[] | undefined {
  return value === undefined || Array.isArray(value);
}

function isListOf<One>(
  value: unknown[] | undefined,
  test: (one: unknown) => one is One,
): value is Exclude<One, undefined>[] | undefined;
function isListOf(value: unknown[] | undefined, test: (one: unknown) => boolean): boolean;
function isListOf(value: unknown[] | undefined, test: (one: unknown) => boolean): boolean {
  return value === undefined || value.every((one) => one !== undefined && test(one));
}

export interface Pair {
  key: string;
  value: string;
}

function isPair(value: unknown): value is Pair {
  const { key, value: text, ...rest } = (value ?? {}) as Partial<Pair>;
  return typeof key === 'string' && typeof text === 'string' && Object.keys(rest).length === 0;
}

export type Source = Readonly<Record<string, unknown>>;

function isSource(value: unknown, key: string): value is Source {
  return typeof value === 'object' && value !== null && typeof (value as Source)[key] === 'string';
}
