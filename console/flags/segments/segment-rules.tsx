// The rules of a segment. Their order has no meaning: one that matches is enough.
import '../../styles/targeting.css';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { Badge } from '../../ui/status.tsx';
import type { ClauseChoices } from '../targeting/clause-form.tsx';
import { ClauseLine } from '../targeting/clause-line.tsx';
import { clauseProblem } from '../targeting/problems.ts';
import { useContextKinds, useSegmentKeys } from '../targeting/targeting-queries.ts';
import { isNew, newClause, newId, USER, WHOLE } from '../targeting/targeting.ts';
import type { SegmentRule } from './segment.ts';
import { SEGMENT } from './segments-words.ts';
import type { SegmentDraft } from './use-segment-draft.ts';

const WORDS = SEGMENT.rule;
const SHARE = /^\d{1,3}(\.\d{1,3})?$/;

/** Why the rules cannot be saved as they are. */
export function findRuleProblem(rules: readonly SegmentRule[]): string | undefined {
  return rules.some(({ clauses, weight }) =>
    clauses.length === 0 ? weight === undefined : clauses.some((one) => clauseProblem(one) !== undefined),
  )
    ? WORDS.noValues
    : undefined;
}

interface SegmentRulesProps {
  draft: SegmentDraft;
  project: string;
  environment: string;
  isLocked: boolean;
}

export function SegmentRules({ draft, project, environment, isLocked }: SegmentRulesProps) {
  const { rules } = draft.edited;
  const choices: ClauseChoices = {
    kinds: useContextKinds(project),
    segments: useSegmentKeys(project, environment),
    attributes: [],
  };
  const set = (next: readonly SegmentRule[]) => draft.edit({ rules: next });
  return (
    <Card
      title={
        <>
          {SEGMENT.rules} <span className="muted">{formatCount(rules.length)}</span>
        </>
      }
      actions={
        !isLocked && (
          <Button
            size="sm"
            icon="plus"
            onClick={() => set([...rules, { _id: newId(), clauses: [newClause()] }])}
          >
            {SEGMENT.addRule}
          </Button>
        )
      }
      isFlush
    >
      <p className="t13 muted segment-rule">{rules.length === 0 ? SEGMENT.noRules : SEGMENT.rulesText}</p>
      {rules.map((rule, index) => (
        <RuleFields
          key={rule._id}
          rule={rule}
          number={index + 1}
          choices={choices}
          isLocked={isLocked}
          onChange={(next) => set(rules.map((one) => (one._id === rule._id ? next : one)))}
          onRemove={() => set(rules.filter(({ _id }) => _id !== rule._id))}
        />
      ))}
    </Card>
  );
}

interface RuleFieldsProps {
  rule: SegmentRule;
  number: number;
  choices: ClauseChoices;
  isLocked: boolean;
  onChange: (rule: SegmentRule) => void;
  onRemove: () => void;
}

function RuleFields({ rule, number, choices, isLocked, onChange, onRemove }: RuleFieldsProps) {
  const { clauses } = rule;
  const [open, setOpen] = useState(isNew(rule._id) ? clauses[0]?._id : undefined);
  const add = () => {
    const clause = newClause();
    onChange({ ...rule, clauses: [...clauses, clause] });
    setOpen(clause._id);
  };
  return (
    <section className="segment-rule stack" aria-label={WORDS.title(number)}>
      <div className="row">
        <h3 className="t13">{WORDS.title(number)}</h3>
        {isNew(rule._id) && <Badge tone="ok">{SEGMENT.isNew}</Badge>}
        <span className="grow" />
        {!isLocked && (
          <Button tone="ghost" size="sm" icon="trash" label={WORDS.remove(number)} onClick={onRemove} />
        )}
      </div>
      {clauses.map((clause, index) => (
        <ClauseLine
          key={clause._id}
          clause={clause}
          isFirst={index === 0}
          isOpen={open === clause._id}
          onOpen={(isOpen) => setOpen(isOpen ? clause._id : undefined)}
          onChange={(next) =>
            onChange({ ...rule, clauses: clauses.map((one) => (one._id === next._id ? next : one)) })
          }
          onRemove={() =>
            clauses.length === 1
              ? onRemove()
              : onChange({ ...rule, clauses: clauses.filter(({ _id }) => _id !== clause._id) })
          }
          choices={choices}
          isLocked={isLocked}
        />
      ))}
      {isLocked ? (
        <LockedRule rule={rule} />
      ) : (
        <>
          <div>
            <Button size="xs" icon="plus" onClick={add}>
              {SEGMENT.clause.add}
            </Button>
          </div>
          <div className="row row--wrap segment-rule__more">
            <div className="grow">
              <Field label={WORDS.description} optional>
                <TextInput
                  controlSize="sm"
                  maxLength={1000}
                  value={rule.description ?? ''}
                  onValue={(description) => onChange({ ...rule, description })}
                />
              </Field>
            </div>
            {isNew(rule._id) ? (
              <p className="help">{WORDS.shareLater}</p>
            ) : (
              <ShareFields rule={rule} kinds={choices.kinds} onChange={onChange} />
            )}
          </div>
        </>
      )}
    </section>
  );
}

function LockedRule({
  rule: { description = '', weight, rolloutContextKind = USER },
}: {
  rule: SegmentRule;
}) {
  return (
    <>
      {description !== '' && <p className="t13">{description}</p>}
      {weight !== undefined && weight < WHOLE && (
        <p className="t13 muted">{WORDS.shareOf(weight / 1000, rolloutContextKind)}</p>
      )}
    </>
  );
}

interface ShareFieldsProps {
  rule: SegmentRule;
  kinds: readonly string[];
  onChange: (rule: SegmentRule) => void;
}

/** Of those who match, by the kind of context that is counted. */
function ShareFields({ rule, kinds, onChange }: ShareFieldsProps) {
  const { weight = WHOLE, rolloutContextKind = USER } = rule;
  const [typed, setTyped] = useState<string>();
  const isBad = typed !== undefined && weightOf(typed) === undefined;
  return (
    <>
      <Field label={WORDS.share} error={isBad && WORDS.bad}>
        <TextInput
          controlSize="sm"
          inputMode="decimal"
          value={isBad ? typed : String(weight / 1000)}
          onValue={(text) => {
            setTyped(text);
            const next = weightOf(text);
            if (next !== undefined) onChange({ ...rule, weight: next, rolloutContextKind });
          }}
        />
      </Field>
      {weight < WHOLE && (
        <Field label={SEGMENT.kind}>
          <SelectInput
            controlSize="sm"
            value={rolloutContextKind}
            onValue={(kind) => onChange({ ...rule, weight, rolloutContextKind: kind })}
            options={[...new Set([...kinds, rolloutContextKind])].map((kind) => ({
              value: kind,
              label: kind,
            }))}
          />
        </Field>
      )}
    </>
  );
}

function weightOf(text: string): number | undefined {
  if (!SHARE.test(text.trim())) return undefined;
  const weight = Math.round(Number(text) * 1000);
  return weight <= WHOLE ? weight : undefined;
}
