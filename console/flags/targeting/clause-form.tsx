// A clause while it is edited: context kind, attribute, operator in words, values.
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { subjectWords } from './clause-words.ts';
import { clauseProblem } from './problems.ts';
import { OPERATORS, TARGETING_WORDS as WORDS } from './targeting-words.ts';
import type { Clause, ClauseValue } from './targeting.ts';
import { useFirstFocus } from './use-first-focus.ts';
import { ValuesField } from './values-field.tsx';

export interface ClauseChoices {
  kinds: readonly string[];
  segments: readonly string[];
  attributes: readonly string[];
}

export interface ClauseFormProps {
  clause: Clause;
  onChange: (clause: Clause) => void;
  onDone: () => void;
  onRemove: () => void;
  choices: ClauseChoices;
}

type ValueType = 'string' | 'number' | 'boolean';

/** These compare numbers only. */
const NUMERIC = new Set(['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual']);

const OPTIONS = Object.entries(OPERATORS).flatMap(([op, [is, isNot]]) => [
  { value: op, label: is },
  { value: `!${op}`, label: isNot },
]);

export function ClauseForm({ clause, onChange, onDone, onRemove, choices }: ClauseFormProps) {
  const { attribute, op, values, contextKind, negate } = clause;
  const [chosen, setChosen] = useState<ValueType>(() => typeOf(values[0]));
  const type = NUMERIC.has(op) ? 'number' : op === 'in' ? chosen : 'string';
  const list = useId();
  const error = useId();
  const isSegment = op === 'segmentMatch';
  const problem = clauseProblem(clause);
  const form = useFirstFocus<HTMLDivElement>();
  const setOperator = (text: string) => {
    const next = text.replace('!', '');
    const keepsValues = next === op || (next !== 'segmentMatch' && !isSegment && !NUMERIC.has(next));
    onChange({
      ...clause,
      op: next,
      negate: text.startsWith('!'),
      ...(next === 'segmentMatch' && { attribute: '' }),
      ...(!keepsValues && { values: [] }),
    });
  };
  return (
    // Escape ends the editing, as everywhere.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={form}
      className="clause grow"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onDone();
      }}
    >
      <div className="clause__f">
        {!isSegment && (
          <>
            <SelectInput
              aria-label={WORDS.kind}
              controlSize="sm"
              value={contextKind}
              onValue={(kind) => onChange({ ...clause, contextKind: kind })}
              options={[...new Set([contextKind, ...choices.kinds])].map((kind) => ({
                value: kind,
                label: kind,
              }))}
            />
            <TextInput
              data-first=""
              aria-label={WORDS.attribute}
              aria-describedby={problem === undefined ? undefined : error}
              placeholder={WORDS.attribute}
              controlSize="sm"
              isMono
              list={list}
              value={attribute}
              autoComplete="off"
              spellCheck={false}
              onValue={(text) => onChange({ ...clause, attribute: text })}
            />
            <datalist id={list}>
              {choices.attributes.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </datalist>
          </>
        )}
        <SelectInput
          {...(isSegment && { 'data-first': '' })}
          aria-label={WORDS.operator}
          controlSize="sm"
          value={negate ? `!${op}` : op}
          onValue={setOperator}
          options={OPTIONS}
        />
        {op === 'in' && (
          <SelectInput
            aria-label={WORDS.valueType}
            controlSize="sm"
            value={chosen}
            onValue={(next) => {
              setChosen(next as ValueType);
              const kept = values.map((value) => parseAs(next as ValueType, String(value)));
              onChange({ ...clause, values: kept.filter((value) => value !== undefined) });
            }}
            options={Object.entries(WORDS.valueTypes).map(([value, label]) => ({ value, label }))}
          />
        )}
      </div>
      <ValuesField<ClauseValue>
        label={isSegment ? subjectWords(clause) : attribute || WORDS.values}
        values={values}
        onChange={(next) => onChange({ ...clause, values: next })}
        parse={(text) => parseAs(type, text)}
        suggestions={isSegment ? choices.segments : type === 'boolean' ? ['true', 'false'] : undefined}
        describedBy={problem === undefined ? undefined : error}
      />
      {problem !== undefined && <FieldError id={error}>{problem}</FieldError>}
      <div className="row row--4">
        <Button size="xs" icon="check" onClick={onDone}>
          {WORDS.done}
        </Button>
        <Button size="xs" tone="ghost" icon="trash" onClick={onRemove}>
          {WORDS.removeClause}
        </Button>
      </div>
    </div>
  );
}

function typeOf(value: ClauseValue | undefined): ValueType {
  const type = typeof value;
  return type === 'number' || type === 'boolean' ? type : 'string';
}

function parseAs(type: ValueType, text: string): ClauseValue | undefined {
  if (text === '') return undefined;
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
