// One rule: its conditions as sentences, what it serves, and its place in the order.
import { memo, useId, useState, type DragEvent } from 'react';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { FieldError } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { TextInput } from '../../ui/input.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Badge } from '../../ui/status.tsx';
import type { Variation } from '../flag.ts';
import type { ClauseChoices } from './clause-form.tsx';
import { ClauseLine } from './clause-line.tsx';
import { ruleSentence, serveWords } from './clause-words.ts';
import { moveRule, removeRule, replaceRule, insertAfter } from './rule-edits.ts';
import { ServeField } from './serve-field.tsx';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import { duplicateRule, isNew, newClause, serveOf, type Clause, type Rule } from './targeting.ts';
import { useFirstFocus } from './use-first-focus.ts';
import type { EditTargeting } from './use-targeting-draft.ts';

export interface RuleCardProps {
  rule: Rule;
  /** As it is saved; undefined where it is new. */
  before: Rule | undefined;
  index: number;
  count: number;
  /** Among all steps of the evaluation. */
  step: number;
  variations: readonly Variation[];
  choices: ClauseChoices;
  edit: EditTargeting;
  /** Only its sentence is shown at first. */
  isShort: boolean;
  /** The context that is tried, where it stops here. */
  hit: string | undefined;
  isLocked: boolean;
}

const DRAGGED = 'application/x-signalbox-rule';

/** Drawn again only when it changes: a flag may have a thousand. */
export const RuleCard = memo(function RuleCard(props: RuleCardProps) {
  const { rule, before, index, count, step, edit, isShort, hit, isLocked } = props;
  const [isOpen, setOpen] = useState(!isShort || isNew(rule._id));
  const [isDescribed, setDescribed] = useState(false);
  const [isOver, setOver] = useState(false);
  const id = useId();
  const number = index + 1;
  const isEdited = before !== undefined && before !== rule && JSON.stringify(before) !== JSON.stringify(rule);
  const move = (to: number, button: string) => {
    edit((present) => moveRule(present, rule._id, to));
    announce(WORDS.moved(to + 1));
    requestAnimationFrame(() => document.getElementById(id + button)?.focus());
  };
  const duplicate = () => edit((present) => insertAfter(present, rule._id, duplicateRule(rule)));
  const remove = () => edit((present) => removeRule(present, rule._id));
  const items: MenuItem[] = [
    { label: WORDS.describe, icon: 'pen', onSelect: () => setDescribed(true) },
    {
      label: rule.trackEvents ? WORDS.dropEvents : WORDS.keepEvents,
      icon: 'view',
      onSelect: () => edit((present) => replaceRule(present, { ...rule, trackEvents: !rule.trackEvents })),
    },
    ...(index > 0
      ? [
          { label: WORDS.up, icon: 'aup' as const, hasLine: true, onSelect: () => move(index - 1, 'u') },
          { label: WORDS.moveToTop, icon: 'aup' as const, onSelect: () => move(0, 'd') },
        ]
      : []),
    ...(number < count
      ? [
          {
            label: WORDS.down,
            icon: 'adown' as const,
            hasLine: index === 0,
            onSelect: () => move(number, 'd'),
          },
          { label: WORDS.moveToEnd, icon: 'adown' as const, onSelect: () => move(count - 1, 'u') },
        ]
      : []),
    { label: WORDS.duplicateIt, icon: 'copy', hasLine: true, onSelect: duplicate },
    { label: WORDS.deleteIt, icon: 'trash', tone: 'danger', onSelect: remove },
  ];
  const drag = {
    onDragOver: (event: DragEvent) => {
      if (isLocked || !event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      const moved = event.dataTransfer.getData(DRAGGED);
      if (moved === '' || isLocked) return;
      event.preventDefault();
      edit((present) => moveRule(present, moved, index));
    },
  };
  return (
    <section
      className={classNames(
        'stop card rule',
        before === undefined && 'is-new',
        isEdited && 'is-edit',
        hit !== undefined && 'is-hit',
        isOver && 'is-over',
      )}
      data-n={step}
      aria-labelledby={id}
      {...drag}
    >
      <div className="rule__h">
        {!isLocked && (
          <span
            className="grip"
            title={WORDS.dragRule(number)}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.setData(DRAGGED, rule._id);
              event.dataTransfer.effectAllowed = 'move';
            }}
          >
            <Icon name="grip" />
          </span>
        )}
        <h2 id={id}>{WORDS.rule(number)}</h2>
        {!isDescribed && <span className="cut muted t13">{rule.description ?? ''}</span>}
        {before === undefined && <Badge tone="ok">{WORDS.fresh}</Badge>}
        {isEdited && <Badge tone="acc">{WORDS.edited}</Badge>}
        {hit !== undefined && <span className="ok t12 w5 nw">{WORDS.stopsHere(hit)}</span>}
        <div className="rule__a push">
          {!isLocked && (
            <>
              {isOpen && <MoveButtons {...props} id={id} move={move} duplicate={duplicate} />}
              <Menu
                trigger={<Button tone="ghost" size="xs" icon="dots" label={WORDS.moreOf(number)} />}
                items={items}
              />
            </>
          )}
          {isShort && (
            <Button
              tone="ghost"
              size="xs"
              icon={isOpen ? 'up' : 'down'}
              label={isOpen ? WORDS.close(number) : WORDS.open(number)}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            />
          )}
        </div>
      </div>
      {isDescribed && <RuleDescription {...props} onDone={() => setDescribed(false)} />}
      {isOpen ? <RuleBody {...props} /> : <RuleLine {...props} />}
    </section>
  );
});

interface MoveButtonsProps extends RuleCardProps {
  id: string;
  move: (to: number, button: string) => void;
  duplicate: () => void;
}

function MoveButtons({ id, index, count, move, duplicate }: MoveButtonsProps) {
  const number = index + 1;
  return (
    <>
      <Button
        id={`${id}u`}
        className="no-s"
        tone="ghost"
        size="xs"
        icon="aup"
        label={WORDS.moveUp(number)}
        disabledReason={index === 0 ? WORDS.isFirst : undefined}
        onClick={() => move(index - 1, 'u')}
      />
      <Button
        id={`${id}d`}
        className="no-s"
        tone="ghost"
        size="xs"
        icon="adown"
        label={WORDS.moveDown(number)}
        disabledReason={number === count ? WORDS.isLast : undefined}
        onClick={() => move(number, 'd')}
      />
      <Button
        className="no-s"
        tone="ghost"
        size="xs"
        icon="copy"
        label={WORDS.duplicate(number)}
        onClick={duplicate}
      />
    </>
  );
}

function RuleDescription({ rule, index, edit, onDone }: RuleCardProps & { onDone: () => void }) {
  const box = useFirstFocus<HTMLDivElement>();
  return (
    <div className="rule__d row" ref={box}>
      <TextInput
        aria-label={WORDS.description(index + 1)}
        controlSize="sm"
        maxLength={1000}
        value={rule.description ?? ''}
        onValue={(description) => edit((present) => replaceRule(present, { ...rule, description }))}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === 'Escape') onDone();
        }}
      />
      <Button size="sm" onClick={onDone}>
        {WORDS.done}
      </Button>
    </div>
  );
}

function RuleLine({ rule, variations }: RuleCardProps) {
  return (
    <p className="rule__l t13">
      <span className="muted">{WORDS.if}</span> {ruleSentence(rule)} <span className="muted">→</span>{' '}
      <span className="mono t12">{serveWords(rule, variations)}</span>
    </p>
  );
}

function RuleBody({ rule, before, index, variations, choices, edit, isLocked }: RuleCardProps) {
  const [opened, setOpened] = useState<string | undefined>(
    isNew(rule._id) &&
      rule.clauses.length === 1 &&
      rule.clauses[0]?.attribute === '' &&
      rule.clauses[0].op !== 'segmentMatch'
      ? rule.clauses[0]._id
      : undefined,
  );
  const change = (next: Rule) => edit((present) => replaceRule(present, next));
  const add = (clause: Clause) => {
    change({ ...rule, clauses: [...rule.clauses, clause] });
    setOpened(clause._id);
  };
  const { variation: _, rollout: __, ...plain } = rule;
  return (
    <div className="rule__b">
      <div className="stack stack--4">
        {rule.clauses.map((clause, at) => (
          <ClauseLine
            key={clause._id}
            clause={clause}
            isFirst={at === 0}
            isOpen={opened === clause._id}
            onOpen={(isOpen) => setOpened(isOpen ? clause._id : undefined)}
            onChange={(next) => change({ ...rule, clauses: rule.clauses.with(at, next) })}
            onRemove={() => change({ ...rule, clauses: rule.clauses.toSpliced(at, 1) })}
            choices={choices}
            isLocked={isLocked}
          />
        ))}
        {rule.clauses.length === 0 && <FieldError>{WORDS.problems.clauses}</FieldError>}
        {!isLocked && (
          <div>
            <Button size="xs" tone="ghost" icon="plus" onClick={() => add(newClause())}>
              {WORDS.addClause}
            </Button>
          </div>
        )}
      </div>
      <ServeField
        where={WORDS.rule(index + 1).toLowerCase()}
        serve={serveOf(rule)}
        before={before && serveOf(before)}
        variations={variations}
        kinds={choices.kinds}
        onChange={(serve) => change({ ...plain, ...serve })}
        isLocked={isLocked}
      />
    </div>
  );
}
