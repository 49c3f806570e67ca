// A clause as a sentence: each of its parts is a button that opens the same line for editing.
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FieldError } from '../../ui/field.tsx';
import { ClauseForm, type ClauseChoices } from './clause-form.tsx';
import { operatorWords, subjectWords } from './clause-words.ts';
import { clauseProblem } from './problems.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import type { Clause } from './targeting.ts';

/** More values than these are counted. */
const MAX_SHOWN = 12;

export interface ClauseLineProps {
  clause: Clause;
  isFirst: boolean;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChange: (clause: Clause) => void;
  onRemove: () => void;
  choices: ClauseChoices;
  isLocked: boolean;
}

export function ClauseLine(props: ClauseLineProps) {
  const { clause, isFirst, isOpen, onOpen, onChange, onRemove, choices, isLocked } = props;
  const word = <span className="say__w">{isFirst ? WORDS.if : WORDS.and}</span>;
  if (isOpen)
    return (
      <div className="say say--edit">
        {word}
        <ClauseForm
          clause={clause}
          onChange={onChange}
          onDone={() => onOpen(false)}
          onRemove={onRemove}
          choices={choices}
        />
      </div>
    );
  const problem = clauseProblem(clause);
  const open = () => onOpen(true);
  const rest = clause.values.length - MAX_SHOWN;
  const values = (
    <>
      {clause.values.slice(0, MAX_SHOWN).map((value) => (
        <span className="val" key={`${typeof value} ${String(value)}`}>
          <span className="cut">{String(value)}</span>
        </span>
      ))}
      {rest > 0 && <span className="muted t12">{WORDS.moreValues(rest)}</span>}
    </>
  );
  if (isLocked)
    return (
      <p className="say">
        {word}
        <b>{subjectWords(clause)}</b>
        <span className="muted">{operatorWords(clause)}</span>
        {values}
      </p>
    );
  return (
    <>
      <p className="say">
        {word}
        <button type="button" className="attr" onClick={open}>
          {subjectWords(clause)}
        </button>
        <button type="button" className="op" onClick={open}>
          {operatorWords(clause)}
        </button>
        {values}
        <button
          type="button"
          className="addval"
          aria-label={WORDS.addValue(subjectWords(clause))}
          onClick={open}
        >
          <Icon name="plus" />
        </button>
        <Button tone="ghost" size="xs" icon="x" label={WORDS.removeClause} onClick={onRemove} />
      </p>
      {problem !== undefined && <FieldError>{problem}</FieldError>}
    </>
  );
}
