// The form of a new flag. What is typed is checked as the server checks it, and kept until the flag is there.
import { useState, type FormEvent } from 'react';
import { ApiError } from '../../api/error.ts';
import { send } from '../../api/client.ts';
import { invalidateTopics } from '../../api/read.ts';
import type { Me } from '../../api/types/signalbox.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { Key } from '../../ui/status.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { Flag } from '../flag.ts';
import type { Environment } from '../queries.ts';
import { isGuarded } from '../save/guard.ts';
import { FLAG_TYPES, type FlagType } from '../words.ts';
import { FlagKeyField } from './flag-key-field.tsx';
import type { NamingConvention } from './flag-key.ts';
import {
  checkNewFlag,
  keyOfDraft,
  newDraft,
  placeNewFlagError,
  variationsFor,
  type DraftErrors,
  type FlagDefaults,
  type NewFlagDraft,
} from './new-flag-draft.ts';
import { AboutFields, SourceField, TurnOnFields } from './new-flag-fields.tsx';
import { newFlagCall, turnOnIn, useFlagWithKey } from './new-flag-queries.ts';
import { NEW_FLAG_WORDS as WORDS } from './new-flag-words.ts';
import { VariationFields } from './variation-fields.tsx';

export interface NewFlagFormProps {
  project: string;
  me: Me;
  convention: NamingConvention | undefined;
  defaults: FlagDefaults;
  environments: readonly Environment[];
  /** With the guarded environments that it is still to be turned on in. */
  onCreated: (key: string, waiting: string[]) => void;
  onCancel: () => void;
}

const TYPES: readonly FlagType[] = ['boolean', 'string', 'number', 'json'];

export function NewFlagForm(props: NewFlagFormProps) {
  const { project, me, convention, defaults, environments, onCreated, onCancel } = props;
  const {
    value: draft,
    change,
    forget,
  } = useDraft<NewFlagDraft>(`new-flag ${project}`, newDraft(defaults, me.member.id));
  const [wasKept] = useState(draft.name !== '' || draft.key !== '');
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [refusal, setRefusal] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const key = keyOfDraft(draft, convention);
  const problems = checkNewFlag(draft, convention);
  const found = useFlagWithKey(project, problems['key'] === undefined ? key : '', environments[0]?.key);
  const source = useFlagWithKey(project, draft.source, environments[0]?.key);
  const placed = refusal && placeNewFlagError(refusal);
  const all: DraftErrors = {
    ...problems,
    ...(found.state === 'taken' && { key: WORDS.taken }),
    ...(draft.source !== '' && source.state === 'free' && { source: WORDS.sourceMissing }),
  };
  const isSeen = (field: string) => touched.has(field) || touched.has('all');
  const shown: DraftErrors = {
    ...Object.fromEntries(
      Object.entries(all).filter(([field]) => isSeen(field) || (field === 'key' && key !== '')),
    ),
    ...(placed && { [placed[0]]: placed[1] }),
  };
  const onChange = (patch: Partial<NewFlagDraft>) => {
    change(patch);
    setRefusal(undefined);
  };
  const touch = (field: string) => setTouched((present) => new Set([...present, field]));
  const call = newFlagCall(project, draft, convention);
  useSayDraft(call);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    touch('all');
    if (Object.keys(all).length > 0) return focusFirstError(form);
    setBusy(true);
    try {
      const { body } = await send<Flag>(call);
      const chosen = environments.filter((one) => draft.source === '' && draft.turnOn.includes(one.key));
      const free = chosen.filter((one) => !isGuarded(one)).map((one) => one.key);
      const failed = await turnOnIn(project, body, free);
      for (const [environment, reason] of failed)
        toast({ text: WORDS.notTurnedOn(environment, reason), tone: 'bad' });
      forget();
      invalidateTopics(['flag', 'activity']);
      onCreated(body.key, [
        ...chosen.filter((one) => isGuarded(one)).map((one) => one.key),
        ...failed.keys(),
      ]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setRefusal(error);
      setBusy(false);
      focusFirstError(form);
    }
  };
  return (
    <form className="card nf-form" noValidate onSubmit={(event) => void submit(event)}>
      <div className="card__b stack stack--24">
        {wasKept && (
          <Banner
            tone="neutral"
            action={
              <Button size="sm" onClick={() => (forget(), setTouched(new Set()))}>
                {WORDS.discard}
              </Button>
            }
          >
            {WORDS.kept}
          </Banner>
        )}
        {refusal !== undefined && placed === undefined && (
          <Banner tone="bad">
            {refusal.message} {refusal.requestId !== undefined && <Key>{refusal.requestId}</Key>}
          </Banner>
        )}
        <Field label={WORDS.name} help={WORDS.nameHelp} error={shown['name']}>
          <TextInput
            dir="auto"
            autoComplete="off"
            maxLength={256}
            value={draft.name}
            onValue={(name) => onChange({ name })}
            onBlur={() => draft.name !== '' && touch('name')}
          />
        </Field>
        <FlagKeyField
          value={key}
          isOwn={draft.key !== ''}
          convention={convention}
          error={shown['key']}
          state={found.state}
          onChange={(next) => onChange({ key: next })}
        />
        <Field label={WORDS.description} optional error={shown['description']}>
          <TextArea
            dir="auto"
            rows={2}
            maxLength={10_000}
            value={draft.description}
            onValue={(description) => onChange({ description })}
          />
        </Field>
        <SourceField
          value={draft.source}
          error={shown['source']}
          found={source.flag}
          onChange={(next) => onChange({ source: next })}
          onLeave={() => touch('source')}
        />
        {draft.source === '' && (
          <>
            <RadioCards
              label={WORDS.type}
              value={draft.type}
              onChange={(type) =>
                onChange({
                  type,
                  variations: variationsFor(type, defaults),
                  onVariation: type === 'boolean' ? defaults.booleanDefaults.onVariation : 0,
                  offVariation: type === 'boolean' ? defaults.booleanDefaults.offVariation : 1,
                })
              }
              options={TYPES.map((type) => ({
                value: type,
                label: FLAG_TYPES[type],
                text: WORDS.typeTexts[type],
              }))}
            />
            <VariationFields draft={draft} errors={shown} onChange={onChange} onLeave={touch} />
          </>
        )}
        <AboutFields draft={draft} errors={shown} me={me} onChange={onChange} onLeave={touch} />
        <TurnOnFields draft={draft} environments={environments} onChange={onChange} />
      </div>
      <div className="card__f row">
        {touched.has('all') && Object.keys(all).length > 0 && (
          <span className="bad t13">{WORDS.problems}</span>
        )}
        <span className="push" />
        <Button onClick={onCancel}>{WORDS.cancel}</Button>
        <Button type="submit" tone="primary" isBusy={isBusy}>
          {WORDS.create}
        </Button>
      </div>
    </form>
  );
}

/** After it is drawn. */
function focusFirstError(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
