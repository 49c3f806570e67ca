// The other fields of a new flag: what it copies, whose it is, who sees it, and where it is turned on.
import type { Me } from '../../api/types/signalbox.ts';
import { useState } from 'react';
import { Checkbox, RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { FilterInput, SelectInput, TextInput } from '../../ui/input.tsx';
import { EnvironmentName } from '../environment-name.tsx';
import { personName, type Flag } from '../flag.ts';
import type { Environment } from '../queries.ts';
import { isGuarded } from '../save/guard.ts';
import type { DraftErrors, NewFlagDraft } from './new-flag-draft.ts';
import { useMaintainers } from './new-flag-queries.ts';
import { NEW_FLAG_WORDS as WORDS } from './new-flag-words.ts';

export interface SourceFieldProps {
  value: string;
  error: string | undefined;
  found: Flag | undefined;
  onChange: (key: string) => void;
  onLeave: () => void;
}

export function SourceField({ value, error, found, onChange, onLeave }: SourceFieldProps) {
  return (
    <Field
      label={WORDS.source}
      optional
      help={found === undefined ? WORDS.sourceHelp : `${WORDS.sourceFrom(found.name)} ${WORDS.sourceHelp}`}
      error={error}
    >
      <TextInput
        isMono
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={WORDS.sourcePlaceholder}
        value={value}
        onValue={(key) => onChange(key.trim())}
        onBlur={onLeave}
      />
    </Field>
  );
}

export interface AboutFieldsProps {
  draft: NewFlagDraft;
  errors: DraftErrors;
  me: Me;
  onChange: (patch: Partial<NewFlagDraft>) => void;
  onLeave: (field: string) => void;
}

export function AboutFields({ draft, errors, me, onChange, onLeave }: AboutFieldsProps) {
  const { data } = useMaintainers();
  const { member } = me;
  const others = (data?.items ?? []).filter(({ _id }) => _id !== member.id);
  const isCopy = draft.source !== '';
  return (
    <>
      <div className="nf-two">
        <Field label={WORDS.maintainer} error={errors['maintainerId']}>
          <SelectInput
            value={draft.maintainer}
            onValue={(maintainer) => onChange({ maintainer })}
            options={[
              { value: member.id, label: WORDS.me(personName(member)) },
              ...others.map((one) => ({ value: one._id, label: personName(one) })),
            ]}
          />
        </Field>
        {!isCopy && (
          <Field label={WORDS.tags} optional help={WORDS.tagsHelp} error={errors['tags']}>
            <TextInput
              autoComplete="off"
              spellCheck={false}
              value={draft.tags}
              onValue={(tags) => onChange({ tags })}
              onBlur={() => onLeave('tags')}
            />
          </Field>
        )}
      </div>
      {!isCopy && (
        <>
          <RadioCards
            label={WORDS.lifetime}
            value={draft.isTemporary ? 'temporary' : 'permanent'}
            onChange={(lifetime) => onChange({ isTemporary: lifetime === 'temporary' })}
            options={[
              { value: 'temporary', label: WORDS.temporary, text: WORDS.temporaryText },
              { value: 'permanent', label: WORDS.permanent, text: WORDS.permanentText },
            ]}
          />
          <fieldset className="stack stack--4">
            <legend className="fld__l">{WORDS.availability}</legend>
            <Checkbox
              label={WORDS.browsers}
              help={WORDS.browsersHelp}
              isChecked={draft.hasBrowsers}
              onChange={(hasBrowsers) => onChange({ hasBrowsers })}
            />
            <Checkbox
              label={WORDS.mobile}
              help={WORDS.mobileHelp}
              isChecked={draft.hasMobile}
              onChange={(hasMobile) => onChange({ hasMobile })}
            />
            <p className="help">{WORDS.serverNote}</p>
          </fieldset>
        </>
      )}
    </>
  );
}

export interface TurnOnFieldsProps {
  draft: NewFlagDraft;
  environments: readonly Environment[];
  onChange: (patch: Partial<NewFlagDraft>) => void;
}

/** More than these are found by typing. */
const MAX_SHOWN = 10;

export function TurnOnFields({ draft, environments, onChange }: TurnOnFieldsProps) {
  const [words, setWords] = useState('');
  if (draft.source !== '') return <p className="help">{WORDS.turnOnCopied}</p>;
  const isChosen = ({ key }: Environment) => draft.turnOn.includes(key);
  const fitting = environments.filter(
    ({ key, name }) => key.includes(words.trim()) || name.toLowerCase().includes(words.trim().toLowerCase()),
  );
  const shown = [...environments.filter(isChosen), ...fitting.filter((one) => !isChosen(one))];
  const cut = shown.slice(0, Math.max(MAX_SHOWN, draft.turnOn.length));
  return (
    <fieldset className="stack stack--4">
      <legend className="fld__l">{WORDS.turnOn}</legend>
      {environments.length > MAX_SHOWN && (
        <FilterInput value={words} onChange={setWords} label={WORDS.findEnvironment} hasSlashKey={false} />
      )}
      {cut.map((environment) => (
        <Checkbox
          key={environment.key}
          label={<EnvironmentName environment={environment} />}
          help={guardWords(environment)}
          isChecked={isChosen(environment)}
          onChange={(isOn) =>
            onChange({
              turnOn: isOn
                ? [...draft.turnOn, environment.key]
                : draft.turnOn.filter((key) => key !== environment.key),
            })
          }
        />
      ))}
      {shown.length > cut.length && (
        <p className="help">{WORDS.moreEnvironments(shown.length - cut.length)}</p>
      )}
      <p className="help">{WORDS.turnOnHelp}</p>
    </fieldset>
  );
}

function guardWords(environment: Environment): string | undefined {
  if (!isGuarded(environment)) return undefined;
  if (environment.approvalSettings.required) return WORDS.guardedApproval;
  return environment.requireComments ? WORDS.guardedComment : WORDS.guarded;
}
