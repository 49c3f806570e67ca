// Other flags that must serve a given variation first.
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { TextLink } from '../../ui/link.tsx';
import { letterOf, variationText, type Flag } from '../flag.ts';
import { useFlag } from '../queries.ts';
import { VariationName } from '../served.tsx';
import { useFlagSearch } from './targeting-queries.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import type { Prerequisite } from './targeting.ts';
import { useFirstFocus } from './use-first-focus.ts';
import { StepCard } from './step-card.tsx';
import type { EditTargeting } from './use-targeting-draft.ts';

export interface PrerequisitesCardProps {
  project: string;
  /** The flag that needs them. */
  flagKey: string;
  prerequisites: readonly Prerequisite[];
  before: readonly Prerequisite[];
  step: number;
  edit: EditTargeting;
  isAdding: boolean;
  onAdded: () => void;
  hit: string | undefined;
  isLocked: boolean;
}

export function PrerequisitesCard(props: PrerequisitesCardProps) {
  const { project, flagKey, prerequisites, before, step, edit, isAdding, onAdded, hit, isLocked } = props;
  const isEdited = JSON.stringify(prerequisites) !== JSON.stringify(before);
  const set = (next: (present: Prerequisite[]) => Prerequisite[]) =>
    edit((present) => ({ ...present, prerequisites: next(present.prerequisites) }));
  return (
    <StepCard title={WORDS.prerequisites} step={step} isEdited={isEdited} hit={hit}>
      {prerequisites.map((one) => (
        <PrerequisiteLine
          key={one.key}
          project={project}
          prerequisite={one}
          isLocked={isLocked}
          onChange={(next) => set((all) => all.map((other) => (other.key === next.key ? next : other)))}
          onRemove={() => set((all) => all.filter(({ key }) => key !== one.key))}
        />
      ))}
      {isAdding && (
        <NewPrerequisite
          project={project}
          taken={[flagKey, ...prerequisites.map(({ key }) => key)]}
          onAdd={(added) => {
            set((all) => [...all, added]);
            onAdded();
          }}
          onCancel={onAdded}
        />
      )}
    </StepCard>
  );
}

interface PrerequisiteLineProps {
  project: string;
  prerequisite: Prerequisite;
  isLocked: boolean;
  onChange: (next: Prerequisite) => void;
  onRemove: () => void;
}

function PrerequisiteLine({ project, prerequisite, isLocked, onChange, onRemove }: PrerequisiteLineProps) {
  const { key, variation } = prerequisite;
  const { data: flag } = useFlag(project, key);
  return (
    <div className="row row--wrap t13">
      <TextLink href={`/flags/${encodeURIComponent(project)}/${encodeURIComponent(key)}`}>{key}</TextLink>
      <span className="muted">{WORDS.serves}</span>
      {flag === undefined || isLocked ? (
        flag && <VariationName flag={flag} index={variation} />
      ) : (
        <VariationSelect flag={flag} variation={variation} onChange={onChange} />
      )}
      {!isLocked && (
        <span className="push">
          <Button
            tone="ghost"
            size="xs"
            icon="trash"
            label={WORDS.removePrerequisite(key)}
            onClick={onRemove}
          />
        </span>
      )}
    </div>
  );
}

interface VariationSelectProps {
  flag: Flag;
  variation: number;
  onChange: (next: Prerequisite) => void;
}

function VariationSelect({ flag, variation, onChange }: VariationSelectProps) {
  return (
    <span className="serve-select">
      <SelectInput
        aria-label={WORDS.prerequisiteVariation(flag.key)}
        controlSize="sm"
        value={String(variation)}
        onValue={(index) =>
          onChange({
            key: flag.key,
            variation: Number(index),
            variationId: flag.variations[Number(index)]!._id,
          })
        }
        options={flag.variations.map((one, index) => ({
          value: String(index),
          label: `${letterOf(index)}: ${variationText(one)}`,
        }))}
      />
    </span>
  );
}

interface NewPrerequisiteProps {
  project: string;
  taken: readonly string[];
  onAdd: (added: Prerequisite) => void;
  onCancel: () => void;
}

function NewPrerequisite({ project, taken, onAdd, onCancel }: NewPrerequisiteProps) {
  const [typed, setTyped] = useState('');
  const [variation, setVariation] = useState(0);
  const list = useId();
  const box = useFirstFocus<HTMLDivElement>();
  const { data } = useFlagSearch(project, typed.trim());
  const found = data?.items ?? [];
  const flag = found.find(({ key }) => key === typed.trim());
  const problem =
    typed.trim() === taken[0] ? WORDS.itself : flag && taken.includes(flag.key) ? WORDS.twice : undefined;
  return (
    <div className="stack stack--4" ref={box}>
      <div className="row row--wrap">
        <span className="serve-select">
          <TextInput
            aria-label={WORDS.prerequisiteFlag}
            placeholder={WORDS.prerequisiteFlag}
            controlSize="sm"
            isMono
            list={list}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onValue={(text) => {
              setTyped(text);
              setVariation(0);
            }}
          />
        </span>
        <datalist id={list}>
          {found.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </datalist>
        {flag !== undefined && (
          <>
            <span className="muted t13">{WORDS.serves}</span>
            <VariationSelect
              flag={flag}
              variation={variation}
              onChange={(next) => setVariation(next.variation)}
            />
          </>
        )}
        <Button
          size="sm"
          disabledReason={problem ?? (flag === undefined ? WORDS.chooseFlag : undefined)}
          onClick={() => {
            if (flag === undefined) return;
            onAdd({ key: flag.key, variation, variationId: flag.variations[variation]!._id });
          }}
        >
          {WORDS.addIt}
        </Button>
        <Button size="sm" tone="ghost" onClick={onCancel}>
          {WORDS.cancel}
        </Button>
      </div>
      {problem !== undefined && <FieldError>{problem}</FieldError>}
    </div>
  );
}
