// The fields of a change of many flags.
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import type { Flag } from '../flag.ts';
import type { Environment } from '../queries.ts';
import { GuardField } from '../save/guard-field.tsx';
import type { BulkGuard, BulkKind } from './bulk-plan.ts';
import { LIST_WORDS } from './list-words.ts';

const WORDS = LIST_WORDS.bulk;

export interface BulkDraft {
  place: string;
  isOn: boolean;
  isAdding: boolean;
  tags: string;
  comment: string;
  typed: string;
}

export interface BulkFieldsProps {
  kind: BulkKind;
  draft: BulkDraft;
  onChange: (patch: Partial<BulkDraft>) => void;
  /** Those with a column first. */
  environments: readonly Environment[];
  guard: BulkGuard;
  badTag: string | undefined;
  flags: readonly Flag[];
}

/** Of the flags that are named. */
const MAX_NAMED = 8;

export function BulkFields(props: BulkFieldsProps) {
  const { kind, draft, onChange, environments, guard, badTag, flags } = props;
  const names = flags.slice(0, MAX_NAMED).map(({ name }) => name);
  return (
    <>
      <p className="t13" dir="auto">
        <span className="muted">{WORDS.which}: </span>
        {names.join(', ')} {flags.length > names.length && WORDS.andMore(flags.length - names.length)}
      </p>
      {kind === 'toggle' && (
        <div className="row row--16 row--wrap">
          <Segmented
            label={WORDS.turn}
            value={draft.isOn ? 'on' : 'off'}
            onChange={(value) => onChange({ isOn: value === 'on' })}
            options={[
              { value: 'on', label: WORDS.on },
              { value: 'off', label: WORDS.off },
            ]}
          />
          <div className="grow">
            <SelectInput
              aria-label={WORDS.environment}
              value={draft.place}
              onValue={(place) => onChange({ place, typed: '' })}
              options={environments.map(({ key }) => ({ value: key, label: key }))}
            />
          </div>
        </div>
      )}
      {kind === 'tag' && (
        <>
          <div>
            <Segmented
              label={WORDS.what}
              value={draft.isAdding ? 'add' : 'remove'}
              onChange={(value) => onChange({ isAdding: value === 'add' })}
              options={[
                { value: 'add', label: WORDS.add },
                { value: 'remove', label: WORDS.remove },
              ]}
            />
          </div>
          <Field
            label={WORDS.tags}
            help={WORDS.tagsHelp}
            error={badTag === undefined ? undefined : WORDS.badTag(badTag)}
          >
            <TextInput
              value={draft.tags}
              onValue={(tags) => onChange({ tags })}
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
        </>
      )}
      {kind === 'archive' && <p className="t13">{WORDS.archiveText}</p>}
      {guard.approved !== undefined && <p className="t13">{WORDS.approval(guard.approved)}</p>}
      <Field
        label={WORDS.comment}
        optional={guard.commented === undefined}
        end={guard.commented === undefined ? undefined : WORDS.commentRequired(guard.commented)}
        help={WORDS.commentHelp}
      >
        <TextArea
          rows={2}
          maxLength={10_000}
          value={draft.comment}
          onValue={(comment) => onChange({ comment })}
        />
      </Field>
      {guard.typed !== undefined && (
        <GuardField place={guard.typed} value={draft.typed} onChange={(typed) => onChange({ typed })} />
      )}
    </>
  );
}
