// The variations of a flag: their names, values and descriptions, and the defaults of new environments.
import '../../styles/flag-tabs.css';
import { useEffect, useState } from 'react';
import { useDraft } from '../../app/drafts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { letterOf, typeOf, type Flag } from '../flag.ts';
import { LeaveGuard } from '../flag/leave-guard.tsx';
import { useFlagPermissions, VARIATION_ACTIONS } from '../permissions.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import { VariationMark } from '../served.tsx';
import { detailOf, type FlagDetail } from '../settings/flag-detail.ts';
import type { FlagType } from '../words.ts';
import { usesOf } from './variation-uses.ts';
import { draftOf, faultsOf, instructionsOf, type VariationDraft } from './variations-draft.ts';
import { VARIATION_WORDS as WORDS } from './variations-words.ts';

export default function VariationsTab({ project, flag }: { project: string; flag: Flag }) {
  const detail = detailOf(flag);
  // What others save meanwhile begins a new draft, unless something was typed here.
  const [isTouched, setTouched] = useState(false);
  const [read, setRead] = useState(detail);
  if (!isTouched && read.version !== detail.version) setRead(detail);
  const { isKnown, may } = useFlagPermissions(project, flag.key);
  if (!isKnown) return <Skeleton rows={4} />;
  if (!may(...VARIATION_ACTIONS)) return <VariationFacts flag={flag} detail={detail} />;
  return (
    <VariationsForm key={read.version} project={project} flag={flag} detail={read} onTouch={setTouched} />
  );
}

/** For who may not change any of it. */
function VariationFacts({ flag, detail }: { flag: Flag; detail: FlagDetail }) {
  return (
    <div className="stack stack--24">
      <p className="muted t13">{typeOf(flag) === 'boolean' ? WORDS.booleanText : WORDS.text}</p>
      <ol className="stack" aria-label={WORDS.value}>
        {detail.variations.map(({ _id, value, name = '', description = '' }, index) => (
          <li key={_id} className="card card__b stack" aria-label={WORDS.variation(letterOf(index))}>
            <div className="row row--wrap variation-head">
              <VariationMark index={index} />
              {name !== '' && <b dir="auto">{name}</b>}
              <span className="grow muted t12">
                {[...usesOf(detail, index), ...(description === '' ? [] : [description])].join('; ')}
              </span>
            </div>
            <pre className="mono t13 variation-value">{variationValueText(value)}</pre>
          </li>
        ))}
      </ol>
    </div>
  );
}

function variationValueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

interface VariationsFormProps {
  project: string;
  flag: Flag;
  detail: FlagDetail;
  onTouch: (isTouched: boolean) => void;
}

let lastNew = 0;

function VariationsForm({ project, flag, detail, onTouch }: VariationsFormProps) {
  const type = typeOf(flag);
  const [before] = useState(() => draftOf(detail, type));
  // A draft on top of an earlier version would take back what others have changed since.
  const kept = useDraft(`variations ${project} ${flag.key} ${detail.version}`, before);
  const draft = kept.value;
  const [isSaving, setSaving] = useState(false);
  const faults = faultsOf(draft, type);
  const instructions = faults.size === 0 ? instructionsOf(flag, before, draft) : [];
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  useEffect(() => onTouch(isChanged), [onTouch, isChanged]);
  const set = (next: typeof draft) => kept.change(next);
  const change = (rowKey: string, patch: Partial<VariationDraft>) =>
    set({ ...draft, rows: draft.rows.map((row) => (row.rowKey === rowKey ? { ...row, ...patch } : row)) });
  const remove = ({ rowKey, id }: VariationDraft) =>
    id === undefined
      ? set({ ...draft, rows: draft.rows.filter((row) => row.rowKey !== rowKey) })
      : change(rowKey, { isRemoved: true });
  const add = () => {
    lastNew += 1;
    const text = type === 'json' ? '{}' : '';
    const row = { rowKey: `new ${lastNew}`, text, name: '', description: '', isRemoved: false };
    set({ ...draft, rows: [...draft.rows, row] });
  };
  const left = draft.rows.filter(({ isRemoved }) => !isRemoved).length;
  const noSave = flag.archived
    ? WORDS.archived
    : !isChanged || (faults.size === 0 && instructions.length === 0)
      ? WORDS.unchanged
      : faults.size > 0
        ? WORDS.fixFirst
        : undefined;
  return (
    <div className="stack stack--24">
      <p className="muted t13">{type === 'boolean' ? WORDS.booleanText : WORDS.text}</p>
      <ol className="stack" aria-label={WORDS.value}>
        {draft.rows.map((row, index) => (
          <VariationRow
            key={row.rowKey}
            row={row}
            index={index}
            type={type}
            uses={row.id === undefined ? [] : usesOf(detail, index)}
            isLast={left <= 2}
            fault={faults.get(row.rowKey)}
            onChange={(patch) => change(row.rowKey, patch)}
            onRemove={() => remove(row)}
          />
        ))}
      </ol>
      {type !== 'boolean' && (
        <div>
          <Button icon="plus" onClick={add}>
            {WORDS.add}
          </Button>
        </div>
      )}
      <Section title={WORDS.defaults}>
        <div className="tab-two">
          {(['onDefault', 'offDefault'] as const).map((name) => (
            <Field key={name} label={WORDS[name]}>
              <SelectInput
                value={String(draft[name])}
                onValue={(index) => set({ ...draft, [name]: Number(index) })}
                options={draft.rows.map((row, index) => ({
                  value: String(index),
                  label: `${letterOf(index)}: ${row.name || row.text.slice(0, 60) || WORDS.empty}`,
                  isDisabled: row.isRemoved,
                }))}
              />
            </Field>
          ))}
        </div>
      </Section>
      <div className="row">
        <Button tone="primary" disabledReason={noSave} onClick={() => setSaving(true)}>
          {WORDS.save}
        </Button>
        {isChanged && <Button onClick={kept.forget}>{WORDS.discard}</Button>}
      </div>
      {isChanged && <LeaveGuard count={Math.max(instructions.length, 1)} onDiscard={kept.forget} />}
      {isSaving && (
        <SaveDialog
          title={WORDS.title}
          change={{
            project,
            resource: { kind: 'flag', key: flag.key, name: flag.name },
            instructions,
            version: detail.version,
          }}
          onClose={() => setSaving(false)}
          onSaved={() => {
            setSaving(false);
            kept.forget();
          }}
        />
      )}
    </div>
  );
}

interface VariationRowProps {
  row: VariationDraft;
  index: number;
  type: FlagType;
  uses: readonly string[];
  /** No further one can go. */
  isLast: boolean;
  fault: string | undefined;
  onChange: (patch: Partial<VariationDraft>) => void;
  onRemove: () => void;
}

function VariationRow({ row, index, type, uses, isLast, fault, onChange, onRemove }: VariationRowProps) {
  const letter = letterOf(index);
  const noRemove = uses.length > 0 ? WORDS.used(uses.join('; ')) : isLast ? WORDS.lastTwo : undefined;
  if (row.isRemoved)
    return (
      <li className="card card__b row">
        <VariationMark index={index} />
        <s className="grow">{row.name || row.text}</s>
        <span className="muted">{WORDS.removed}</span>
        <Button size="sm" onClick={() => onChange({ isRemoved: false })}>
          {WORDS.undo}
        </Button>
      </li>
    );
  return (
    <li className="card card__b" aria-label={WORDS.variation(letter)}>
      <div className="row row--wrap variation-head">
        <VariationMark index={index} />
        {row.id === undefined && <Badge tone="acc">{WORDS.isNew}</Badge>}
        <span className="grow muted t12">
          {row.id !== undefined &&
            (uses.length === 0 ? WORDS.notUsed : `${WORDS.usedIn}: ${uses.join('; ')}`)}
        </span>
        {type !== 'boolean' && (
          <Button
            tone="ghost"
            size="sm"
            icon="trash"
            aria-label={WORDS.removeOf(letter)}
            disabledReason={noRemove}
            onClick={onRemove}
          >
            {WORDS.remove}
          </Button>
        )}
      </div>
      <div className="tab-two">
        <Field label={WORDS.value} error={fault}>
          {type === 'json' ? (
            <TextArea
              isMono
              rows={4}
              spellCheck={false}
              value={row.text}
              onValue={(text) => onChange({ text })}
            />
          ) : (
            <TextInput
              isMono
              readOnly={type === 'boolean'}
              inputMode={type === 'number' ? 'decimal' : undefined}
              value={row.text}
              onValue={(text) => onChange({ text })}
            />
          )}
        </Field>
        <div className="stack">
          <Field label={WORDS.name} optional>
            <TextInput value={row.name} maxLength={256} onValue={(name) => onChange({ name })} />
          </Field>
          <Field label={WORDS.description} optional>
            <TextInput
              value={row.description}
              maxLength={1000}
              onValue={(description) => onChange({ description })}
            />
          </Field>
        </div>
      </div>
    </li>
  );
}
