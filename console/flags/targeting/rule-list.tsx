// The rules in their order. Of many, each shows its sentence until it is opened, and words find some of them.
import { useMemo, useState } from 'react';
import { useSettled } from '../../lib/settled.ts';
import { Button } from '../../ui/button.tsx';
import { FilterInput } from '../../ui/input.tsx';
import type { Variation } from '../flag.ts';
import type { TryHit } from '../try/evaluation.ts';
import type { ClauseChoices } from './clause-form.tsx';
import { ruleSentence } from './clause-words.ts';
import { RuleCard } from './rule-card.tsx';
import { useSegmentKeys } from './targeting-queries.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import type { Targeting } from './targeting.ts';
import type { EditTargeting } from './use-targeting-draft.ts';

/** More rules than these are shown short, and can be searched. */
const MANY = 12;
/** More take long to draw; they come when asked for, or when words find them. */
const MANY_DRAWN = 50;
const MORE = 100;
/** Attributes that contexts have without being asked. */
const USUAL = ['key', 'name', 'anonymous'];

export interface RuleListProps {
  project: string;
  environment: string;
  base: Targeting;
  after: Targeting;
  /** Of the first rule, among all steps. */
  firstStep: number;
  variations: readonly Variation[];
  kinds: readonly string[];
  edit: EditTargeting;
  hit: TryHit | undefined;
  isLocked: boolean;
}

export function RuleList(props: RuleListProps) {
  const { project, environment, base, after, firstStep, variations, kinds, edit, hit, isLocked } = props;
  const { rules } = after;
  const isShort = rules.length > MANY;
  const [typed, setTyped] = useState('');
  const [limit, setLimit] = useState(MANY_DRAWN);
  const words = useSettled(typed.trim().toLowerCase());
  const segments = useSegmentKeys(project, environment);
  const attributes = useMemo(() => attributesIn(base), [base]);
  const choiceText = JSON.stringify({ kinds, segments, attributes });
  const choices = useMemo(() => JSON.parse(choiceText) as ClauseChoices, [choiceText]);
  const before = useMemo(() => new Map(base.rules.map((rule) => [rule._id, rule])), [base.rules]);
  const shown = useMemo(
    () =>
      rules
        .map((rule, index) => ({ rule, index }))
        .filter(({ rule }) => words === '' || textOf(rule).includes(words)),
    [rules, words],
  );
  // What was changed is always drawn, wherever it stands.
  const drawn = shown.filter(({ rule }, at) => at < limit || before.get(rule._id) !== rule);
  return (
    <>
      {isShort && (
        <div className="row">
          <div className="grow">
            <FilterInput value={typed} onChange={setTyped} label={WORDS.findRule} />
          </div>
          <span className="muted t12" role="status">
            {shown.length === 0 ? WORDS.noRule : WORDS.rulesShown(shown.length, rules.length)}
          </span>
        </div>
      )}
      {drawn.map(({ rule, index }) => (
        <RuleCard
          key={rule._id}
          rule={rule}
          before={before.get(rule._id)}
          index={index}
          count={rules.length}
          step={firstStep + index}
          variations={variations}
          choices={choices}
          edit={edit}
          isShort={isShort}
          hit={hit?.place === 'rule' && hit.rule === index ? hit.key : undefined}
          isLocked={isLocked}
        />
      ))}
      {drawn.length < shown.length && (
        <div>
          <Button size="sm" onClick={() => setLimit(limit + MORE)}>
            {WORDS.moreRules(shown.length - drawn.length)}
          </Button>
        </div>
      )}
    </>
  );
}

function textOf(rule: Targeting['rules'][number]): string {
  return `${rule.description ?? ''} ${ruleSentence(rule)}`.toLowerCase();
}

function attributesIn({ rules }: Targeting): string[] {
  const used = rules.flatMap(({ clauses }) => clauses.map(({ attribute }) => attribute));
  return [...new Set([...USUAL, ...used])].filter((attribute) => attribute !== '').slice(0, 100);
}
