// Statements as rows: effect, actions and resources of each, in an order that can be changed.
import { useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { Badge } from '../../ui/status.tsx';
import type { PolicyStatement } from '../policy/policy.ts';
import { RESOURCE_EXAMPLES } from '../policy/resource-examples.ts';
import { useKnownActions } from '../tester/explain-queries.ts';
import { NamesInput } from './names-input.tsx';
import { ROLE } from './roles-words.ts';
import { statementId } from './show-statement.ts';
import { halfOf, moved, NEW_STATEMENT, withHalf } from './statement-row-model.ts';

/** What the answer of the tester says of statements, by their place. */
export type StatementMarks = ReadonlyMap<number, 'decides' | 'nearly'>;

export interface StatementRowsProps {
  statements: readonly PolicyStatement[];
  marks: StatementMarks;
  onChange: (statements: PolicyStatement[]) => void;
}

export function StatementRows({ statements, marks, onChange }: StatementRowsProps) {
  const id = useId();
  const lists = { actions: `${id}a`, resources: `${id}r` };
  const known = useKnownActions();
  return (
    <div className="stack">
      {statements.length === 0 && <p className="t13 muted">{ROLE.noStatements}</p>}
      <ol className="stack" aria-label={ROLE.policy}>
        {statements.map((statement, index) => (
          // They have no names; their order is what one changes.
          <StatementRow
            key={index}
            statement={statement}
            index={index}
            count={statements.length}
            mark={marks.get(index)}
            lists={lists}
            onChange={(next) => onChange(statements.map((one, at) => (at === index ? next : one)))}
            onMove={(to) => onChange(moved(statements, index, to))}
            onRemove={() => onChange(statements.filter((_, at) => at !== index))}
          />
        ))}
      </ol>
      <div>
        <Button icon="plus" onClick={() => onChange([...statements, NEW_STATEMENT])}>
          {ROLE.addAllow}
        </Button>
      </div>
      <datalist id={lists.actions}>
        {known?.map(({ action, words }) => (
          <option key={action} value={action}>
            {words}
          </option>
        ))}
      </datalist>
      <datalist id={lists.resources}>
        {RESOURCE_EXAMPLES.map(({ example, text }) => (
          <option key={example} value={example}>
            {text}
          </option>
        ))}
      </datalist>
    </div>
  );
}

interface StatementRowProps {
  statement: PolicyStatement;
  index: number;
  count: number;
  mark: 'decides' | 'nearly' | undefined;
  lists: { actions: string; resources: string };
  onChange: (statement: PolicyStatement) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}

function StatementRow(props: StatementRowProps) {
  const { statement, index, count, mark, lists, onChange, onMove, onRemove } = props;
  const at = index + 1;
  return (
    <li
      id={statementId(index)}
      className={classNames('card pol__row', mark !== undefined && `pol__row--${mark}`)}
      aria-label={ROLE.statement(at)}
      tabIndex={-1}
    >
      <div className="row row--wrap">
        <span className="faint t13">{at}</span>
        <Segmented
          size="sm"
          label={ROLE.effect(at)}
          value={statement.effect}
          onChange={(effect) => onChange({ ...statement, effect })}
          options={[
            { value: 'allow', label: ROLE.allow },
            { value: 'deny', label: ROLE.deny },
          ]}
        />
        {mark !== undefined && (
          <Badge tone={mark === 'nearly' ? undefined : statement.effect === 'allow' ? 'ok' : 'bad'}>
            {ROLE[mark]}
          </Badge>
        )}
        <span className="push row row--4">
          {index > 0 && (
            <Button tone="ghost" size="sm" icon="up" label={ROLE.up(at)} onClick={() => onMove(index - 1)} />
          )}
          {at < count && (
            <Button
              tone="ghost"
              size="sm"
              icon="down"
              label={ROLE.down(at)}
              onClick={() => onMove(index + 1)}
            />
          )}
          <Button tone="ghost" size="sm" icon="trash" label={ROLE.remove(at)} onClick={onRemove} />
        </span>
      </div>
      <div className="pol__halves">
        {(['actions', 'resources'] as const).map((half) => (
          <NamesInput
            key={half}
            half={half}
            at={at}
            value={halfOf(statement, half)}
            list={lists[half]}
            onChange={(value) => onChange(withHalf(statement, half, value))}
          />
        ))}
      </div>
    </li>
  );
}
