// Mine, theirs, merged: a choice for each part that both have changed.
import { useState } from 'react';
import type { ApiError } from '../../api/error.ts';
import type { ChangePreview } from '../../api/types/signalbox.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useFlagHistory } from '../queries.ts';
import { personName } from '../flag.ts';
import type { Conflict } from './conflict.ts';
import { Difference } from './difference.tsx';
import type { PlannedChange } from './planned-change.ts';
import { partsOfState, textOfPart, type Contest, type StateParts } from './parts.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { usePreview } from './save-queries.ts';
import { SAVE_WORDS as WORDS } from './save-words.ts';

type Side = 'mine' | 'theirs';

export interface ConflictViewProps {
  conflict: Conflict;
  /** What mine would have made of it. */
  wanted: unknown;
  error: Error | undefined;
  isBusy: boolean;
  /** Else what was merged is shown once more before it is saved. */
  isConfirmed: boolean;
  onSave: (change: PlannedChange) => void;
  /** Nothing of mine is left. */
  onGiveUp: () => void;
  onClose: () => void;
}

export function ConflictView(props: ConflictViewProps) {
  const { conflict, wanted, error, isBusy, isConfirmed, onSave, onGiveUp, onClose } = props;
  const { change, present, contests } = conflict;
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const texts = { mine: partsOfState(wanted), theirs: partsOfState(present) };
  // Nothing can be changed of a rule or a variation that is deleted.
  const isGone = ({ name }: Contest) =>
    /^(?:rules|variations)\/(?!new$|order$)/.test(name) && !texts.theirs.has(name);
  const sideOf = (contest: Contest): Side => (isGone(contest) ? 'theirs' : (sides[contest.name] ?? 'mine'));
  const dropped = new Set(
    contests.flatMap((contest) => (sideOf(contest) === 'theirs' ? contest.instructions : [])),
  );
  const { details: _, ...plain } = change;
  const merged: PlannedChange = {
    ...plain,
    instructions: change.instructions.filter((__, index) => !dropped.has(index)),
    base: present,
  };
  const isEmpty = merged.instructions.length === 0;
  const preview = usePreview(merged);
  return (
    <Dialog
      title={WORDS.conflict.title}
      text={WORDS.conflict.text(change.resource.name)}
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus="" onClick={onClose}>
            {WORDS.keep}
          </Button>
          {isEmpty ? (
            <Button tone="primary" onClick={onGiveUp}>
              {WORDS.conflict.takeTheirs}
            </Button>
          ) : (
            <Button
              tone="primary"
              isBusy={isBusy}
              disabledReason={preview.error === null ? undefined : WORDS.notPossible}
              onClick={() => onSave(merged)}
            >
              {isConfirmed ? WORDS.conflict.save(change.environment) : WORDS.conflict.review}
            </Button>
          )}
        </>
      }
    >
      <LastAuthor change={change} />
      {error !== undefined && <ChangeError error={error} />}
      {contests.map((contest) => (
        <RadioCards<Side>
          key={contest.name}
          label={partName(contest, change.base)}
          value={sideOf(contest)}
          onChange={(side) => setSides({ ...sides, [contest.name]: side })}
          options={(['mine', 'theirs'] as const).map((side) => ({
            value: side,
            label: WORDS.conflict[side],
            disabledReason: side === 'mine' && isGone(contest) ? WORDS.conflict.deleted : undefined,
            text: <code className="save-part">{wordsOf(change, texts[side], contest)}</code>,
          }))}
        />
      ))}
      {!isEmpty && <Merged change={merged} preview={preview} />}
    </Dialog>
  );
}

interface MergedProps {
  change: PlannedChange;
  preview: { data: ChangePreview | undefined; error: ApiError | null };
}

function Merged({ change, preview: { data, error } }: MergedProps) {
  return (
    <section className="stack stack--8" aria-label={WORDS.conflict.merged}>
      <h3 className="t13">{WORDS.conflict.merged}</h3>
      {error !== null && <ChangeError error={error} />}
      {error === null &&
        (data === undefined ? <Skeleton lines={2} /> : <Difference change={change} preview={data} />)}
    </section>
  );
}

function LastAuthor({ change: { project, resource } }: { change: PlannedChange }) {
  const { data } = useFlagHistory(project, resource.key, resource.kind === 'flag');
  const member = data?.items[0]?.member;
  if (member === undefined) return null;
  return <p className="t13 muted">{WORDS.conflict.by(personName(member))}</p>;
}

function wordsOf({ describe }: PlannedChange, parts: StateParts, { name }: Contest): string {
  const text = parts.get(name);
  const words = text === undefined ? undefined : describe?.(name, JSON.parse(text));
  return words ?? textOfPart(parts, name) ?? WORDS.conflict.gone;
}

function partName({ name }: Contest, base: unknown): string {
  const known = WORDS.parts[name];
  if (known !== undefined) return known;
  const [group, id = ''] = name.split('/', 2);
  if (group === 'rules') return WORDS.rule(placeOf(base, id));
  if (group === 'variations') return WORDS.variation;
  if (group === 'prerequisites') return WORDS.prerequisite(id);
  return name === '*' ? WORDS.everything : name;
}

/** From 1; undefined where it is not known. */
function placeOf(base: unknown, rule: string): number | undefined {
  const { rules = [] } = (base ?? {}) as { rules?: readonly { _id: string }[] };
  const index = rules.findIndex(({ _id }) => _id === rule);
  return index < 0 ? undefined : index + 1;
}
