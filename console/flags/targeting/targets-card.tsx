// Contexts that are named one by one: for each variation and context kind a list of keys.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { letterOf, variationText, type Variation } from '../flag.ts';
import { VariationMark } from '../served.tsx';
import { variationName } from './clause-words.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import { USER, type Target } from './targeting.ts';
import type { EditTargeting } from './use-targeting-draft.ts';
import { StepCard } from './step-card.tsx';
import { ValuesField } from './values-field.tsx';

export interface TargetsCardProps {
  targets: readonly Target[];
  before: readonly Target[];
  step: number;
  variations: readonly Variation[];
  kinds: readonly string[];
  edit: EditTargeting;
  isAdding: boolean;
  onAdded: () => void;
  hit: string | undefined;
  isLocked: boolean;
}

const MAX_SHOWN = 5;

const isSameList = (one: Target, other: Pick<Target, 'contextKind' | 'variation'>) =>
  one.variation === other.variation && one.contextKind === other.contextKind;

export function TargetsCard(props: TargetsCardProps) {
  const { targets, before, step, variations, kinds, edit, isAdding, onAdded, hit, isLocked } = props;
  const [opened, setOpened] = useState<string>();
  const isEdited = JSON.stringify(targets) !== JSON.stringify(before);
  const change = (list: Target, values: string[]) =>
    edit((present) => ({ ...present, targets: withKeys(present.targets, list, values) }));
  return (
    <StepCard title={WORDS.targets} step={step} isEdited={isEdited} hit={hit}>
      {targets.map((list) => {
        const name = `${list.variation} ${list.contextKind}`;
        const variation = variationName(variations, list.variation);
        const isOpen = opened === name || (list.values.length === 0 && !isLocked);
        return (
          <div className="stack stack--4" key={name}>
            <div className="row row--wrap t13">
              <VariationMark index={list.variation} />
              <span className="mono t12">{variation}</span>
              <b className="w5">{WORDS.forKeys(list.values.length, list.contextKind)}</b>
              {!isOpen && (
                <span className="muted cut">
                  {list.values.slice(0, MAX_SHOWN).join(', ')}
                  {list.values.length > MAX_SHOWN && ` ${WORDS.moreValues(list.values.length - MAX_SHOWN)}`}
                </span>
              )}
              {!isLocked && (
                <span className="row row--4 push">
                  <Button
                    tone="ghost"
                    size="xs"
                    icon={isOpen ? 'check' : 'pen'}
                    label={WORDS.targetsOf(list.contextKind, variation)}
                    aria-expanded={isOpen}
                    onClick={() => setOpened(isOpen ? undefined : name)}
                  />
                  <Button
                    tone="ghost"
                    size="xs"
                    icon="trash"
                    label={WORDS.removeTargets(list.contextKind, variation)}
                    onClick={() =>
                      edit((present) => ({
                        ...present,
                        targets: present.targets.filter((one) => !isSameList(one, list)),
                      }))
                    }
                  />
                </span>
              )}
            </div>
            {isOpen && (
              <ValuesField
                label={WORDS.targetsOf(list.contextKind, variation)}
                values={list.values}
                onChange={(values) => {
                  setOpened(name);
                  change(list, values);
                }}
                parse={(text) => (text === '' ? undefined : text)}
              />
            )}
          </div>
        );
      })}
      {targets.length === 0 && !isAdding && <p className="muted t13">{WORDS.noTargets}</p>}
      {isAdding && (
        <NewList
          variations={variations}
          kinds={kinds}
          onAdd={(list) => {
            edit((present) =>
              present.targets.some((one) => isSameList(one, list))
                ? present
                : { ...present, targets: [...present.targets, { ...list, values: [] }] },
            );
            setOpened(`${list.variation} ${list.contextKind}`);
            onAdded();
          }}
          onCancel={onAdded}
        />
      )}
    </StepCard>
  );
}

interface NewListProps {
  variations: readonly Variation[];
  kinds: readonly string[];
  onAdd: (list: Omit<Target, 'values'>) => void;
  onCancel: () => void;
}

function NewList({ variations, kinds, onAdd, onCancel }: NewListProps) {
  const [variation, setVariation] = useState('0');
  const [contextKind, setKind] = useState(USER);
  return (
    <div className="row row--wrap">
      <span className="serve-select">
        <SelectInput
          aria-label={WORDS.variation}
          controlSize="sm"
          value={variation}
          onValue={setVariation}
          options={variations.map((one, index) => ({
            value: String(index),
            label: `${letterOf(index)}: ${variationText(one)}`,
          }))}
        />
      </span>
      <span className="serve-select">
        <SelectInput
          aria-label={WORDS.kind}
          controlSize="sm"
          value={contextKind}
          onValue={setKind}
          options={kinds.map((kind) => ({ value: kind, label: kind }))}
        />
      </span>
      <Button size="sm" onClick={() => onAdd({ variation: Number(variation), contextKind })}>
        {WORDS.addIt}
      </Button>
      <Button size="sm" tone="ghost" onClick={onCancel}>
        {WORDS.cancel}
      </Button>
    </div>
  );
}

/** A key that was in the list of another variation leaves it. */
function withKeys(targets: readonly Target[], changed: Target, values: string[]): Target[] {
  const taken = new Set(values);
  return targets.map((list) => {
    if (isSameList(list, changed)) return { ...list, values };
    if (list.contextKind !== changed.contextKind || !list.values.some((key) => taken.has(key))) return list;
    return { ...list, values: list.values.filter((key) => !taken.has(key)) };
  });
}
