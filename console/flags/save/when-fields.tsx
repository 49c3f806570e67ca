// When a change is made: now, at a time, or after somebody has approved of it.
import { useContext, useState } from 'react';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatExact } from '../../ui/format.ts';
import { FilterInput, SelectInput, TextInput } from '../../ui/input.tsx';
import { TimeZoneContext } from '../../ui/time.tsx';
import { useReviewers, type Reviewer } from './save-queries.ts';
import { SAVE_WORDS as WORDS } from './save-words.ts';
import { toInstant, toLocalText } from '../../lib/zoned-time.ts';

export type When = 'now' | 'schedule' | 'approval';

export interface ScheduleDraft {
  local: string;
  zone: string;
}

/** Undefined where it is no time, or a past one. */
export function instantOf({ local, zone }: ScheduleDraft): number | undefined {
  const instant = toInstant(local, zone);
  return instant !== undefined && instant > Date.now() ? instant : undefined;
}

export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const HOUR_MS = 3_600_000;

/** A full hour, at least one from now. */
export function laterToday(zone: string): ScheduleDraft {
  const hour = Math.ceil(Date.now() / HOUR_MS + 1) * HOUR_MS;
  return { local: toLocalText(hour, zone), zone };
}

export interface ScheduleFieldsProps {
  value: ScheduleDraft;
  onChange: (value: ScheduleDraft) => void;
}

export function ScheduleFields({ value, onChange }: ScheduleFieldsProps) {
  const preferred = useContext(TimeZoneContext);
  const zones = [...new Set([value.zone, ownZone(), preferred ?? ownZone(), 'UTC'])];
  const instant = instantOf(value);
  return (
    <div className="save-when">
      <Field
        label={WORDS.scheduleAt}
        error={value.local !== '' && instant === undefined && WORDS.past}
        help={instant === undefined ? undefined : WORDS.at(formatExact(instant, value.zone))}
      >
        <TextInput
          type="datetime-local"
          value={value.local}
          onValue={(local) => onChange({ ...value, local })}
        />
      </Field>
      <Field label={WORDS.zone}>
        <SelectInput
          value={value.zone}
          onValue={(zone) => onChange({ ...value, zone })}
          options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
        />
      </Field>
    </div>
  );
}

export interface ApprovalFieldsProps {
  description: string;
  onDescription: (text: string) => void;
  reviewers: readonly string[];
  onReviewers: (ids: string[]) => void;
}

export function ApprovalFields(props: ApprovalFieldsProps) {
  const { description, onDescription } = props;
  return (
    <div className="stack">
      <Field label={WORDS.description} help={WORDS.descriptionHelp}>
        <TextInput value={description} onValue={onDescription} maxLength={1000} />
      </Field>
      <ReviewerFields {...props} />
    </div>
  );
}

function ReviewerFields({ reviewers, onReviewers }: ApprovalFieldsProps) {
  const [words, setWords] = useState('');
  const { data } = useReviewers(words);
  // Those who were chosen stay in the list while one looks for others.
  const [chosen, setChosen] = useState<readonly Reviewer[]>([]);
  const found = (data?.items ?? []).filter(({ id }) => !reviewers.includes(id));
  const toggle = (member: Reviewer, isChosen: boolean) => {
    const next = isChosen ? [...chosen, member] : chosen.filter(({ id }) => id !== member.id);
    setChosen(next);
    onReviewers(next.map(({ id }) => id));
  };
  return (
    <fieldset>
      <legend className="fld__l">{WORDS.reviewers}</legend>
      <div className="stack stack--4">
        <FilterInput value={words} onChange={setWords} label={WORDS.findReviewer} hasSlashKey={false} />
        <div className="save-people">
          {[...chosen, ...found].map((member) => (
            <Checkbox
              key={member.id}
              label={nameOf(member)}
              isChecked={reviewers.includes(member.id)}
              onChange={(isChosen) => toggle(member, isChosen)}
            />
          ))}
          {data !== undefined && chosen.length + found.length === 0 && (
            <p className="t13 muted">{WORDS.noReviewer}</p>
          )}
        </div>
        <p className="help">{WORDS.reviewersHelp}</p>
      </div>
    </fieldset>
  );
}

function nameOf({ firstName, lastName, email }: Reviewer): string {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return name === '' ? email : `${name} (${email})`;
}
