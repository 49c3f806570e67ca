// A list of values as chips. Many lines can be pasted, and a long list can be edited as lines.
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import type { ClauseValue } from './targeting.ts';

/** More chips than these are no longer read. */
const MAX_CHIPS = 60;

export interface ValuesFieldProps<Value extends ClauseValue> {
  label: string;
  values: readonly Value[];
  onChange: (values: Value[]) => void;
  /** Undefined where the text is no such value. */
  parse: (text: string) => Value | undefined;
  suggestions?: readonly string[] | undefined;
  isInvalid?: boolean | undefined;
  describedBy?: string | undefined;
}

export function ValuesField<Value extends ClauseValue>(props: ValuesFieldProps<Value>) {
  const { label, values, onChange, parse, suggestions = [], isInvalid, describedBy } = props;
  const [text, setText] = useState('');
  const [lines, setLines] = useState<string>();
  const list = useId();
  const add = (texts: readonly string[]) => {
    const fresh = texts.map((one) => parse(one.trim())).filter((one) => one !== undefined);
    if (fresh.length > 0) onChange([...new Set([...values, ...fresh])]);
    return fresh.length > 0;
  };
  const commit = () => {
    if (text.trim() !== '' && add([text])) setText('');
  };
  if (lines !== undefined)
    return (
      <div className="stack stack--4 grow">
        <TextArea aria-label={label} rows={8} isMono value={lines} onValue={setLines} spellCheck={false} />
        <p className="help">{WORDS.linesHelp}</p>
        <div className="row row--4">
          <Button
            size="xs"
            tone="primary"
            onClick={() => {
              const all = linesOf(lines)
                .map(parse)
                .filter((one) => one !== undefined);
              onChange([...new Set(all)]);
              setLines(undefined);
            }}
          >
            {WORDS.takeLines}
          </Button>
          <Button size="xs" tone="ghost" onClick={() => setLines(undefined)}>
            {WORDS.cancel}
          </Button>
        </div>
      </div>
    );
  return (
    <div className="vals grow">
      {values.slice(0, MAX_CHIPS).map((value) => (
        <span className="val" key={`${typeof value} ${String(value)}`}>
          <span className="cut">{String(value)}</span>
          <button
            type="button"
            aria-label={WORDS.removeValue(String(value))}
            onClick={() => onChange(values.filter((one) => one !== value))}
          >
            ×
          </button>
        </span>
      ))}
      {values.length > MAX_CHIPS && (
        <span className="muted t12">{WORDS.moreValues(values.length - MAX_CHIPS)}</span>
      )}
      <TextInput
        aria-label={WORDS.addValue(label)}
        aria-invalid={isInvalid || undefined}
        aria-describedby={describedBy}
        className="vals__in"
        controlSize="sm"
        isMono
        placeholder={values.length === 0 ? WORDS.valueHint : undefined}
        list={suggestions.length > 0 ? list : undefined}
        value={text}
        onValue={setText}
        autoComplete="off"
        spellCheck={false}
        onBlur={commit}
        onPaste={(event) => {
          const pasted = linesOf(event.clipboardData.getData('text'));
          if (pasted.length < 2) return;
          event.preventDefault();
          add(pasted);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            commit();
          } else if (event.key === 'Backspace' && text === '' && values.length > 0) {
            onChange(values.slice(0, -1));
          }
        }}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </datalist>
      )}
      {values.length > 1 && (
        <Button size="xs" tone="ghost" onClick={() => setLines(values.map(String).join('\n'))}>
          {WORDS.asLines}
        </Button>
      )}
    </div>
  );
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
