// Creates a webhook of a repository or an organization, or changes one. A secret that is made is shown once; one that is typed, never.
import { useState } from 'react';
import { withoutSecrets } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { SecretOnce } from '../../lib/secret-once.tsx';
import { Checkbox, RadioCards } from '../../ui/choice.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import {
  draftOfHook,
  isSameHook,
  makeSecret,
  saveHookCall,
  type HookDraft,
  type SecretMode,
} from './hook-draft.ts';
import { HOOK_TOPICS, type HookPlace, type HostHook } from './hooks-queries.ts';
import { EVENT_NAMES, HOOK_FORM, ORG_EVENT_NAMES } from './hooks-words.ts';

const MIN_SECRET = 16;
const isUrl = (text: string) => /^https?:\/\/\S+$/i.test(text);

export interface HookDialogProps {
  place: HookPlace;
  /** Absent to create one. */
  hook?: HostHook | undefined;
  onClose: () => void;
  onSaved: (id: number) => void;
}

export function HookDialog({ place, hook, onClose, onSaved }: HookDialogProps) {
  const [draft, setDraft] = useState(() => draftOfHook(hook));
  const [isTried, setTried] = useState(false);
  const [made, setMade] = useState<{ id: number; secret: string }>();
  const { run, isBusy, error } = useSecretCall<HostHook>();
  useSayDraft(made === undefined ? withoutSecrets(saveHookCall(place, hook, draft)) : undefined);
  const change = (patch: Partial<HookDraft>) => setDraft((present) => ({ ...present, ...patch }));
  const isUrlBad = !isUrl(draft.url.trim());
  const isSecretBad = draft.secretMode === 'own' && draft.secret.length < MIN_SECRET;
  const isWithout = draft.choice === 'some' && draft.events.length === 0;
  const submit = async () => {
    setTried(true);
    if (isUrlBad || isSecretBad || isWithout || isBusy) return;
    const secret = draft.secretMode === 'make' ? makeSecret() : draft.secret;
    const reply = await run(saveHookCall(place, hook, { ...draft, secret }));
    if (reply === undefined) return;
    invalidateTopics(HOOK_TOPICS);
    if (draft.secretMode === 'make') setMade({ id: reply.body.id, secret });
    else onSaved(reply.body.id);
  };
  if (made !== undefined)
    return (
      <SecretOnce
        title={HOOK_FORM.secretTitle}
        label={HOOK_FORM.secretLabel}
        secret={made.secret}
        onClose={() => onSaved(made.id)}
      />
    );
  return (
    <FormDialog
      title={hook === undefined ? HOOK_FORM.newTitle : HOOK_FORM.editTitle}
      width={600}
      action={hook === undefined ? HOOK_FORM.create : HOOK_FORM.save}
      disabledReason={hook !== undefined && isSameHook(hook, draft) ? HOOK_FORM.unchanged : undefined}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={HOOK_FORM.url} help={HOOK_FORM.urlHelp} error={isTried && isUrlBad && HOOK_FORM.urlBad}>
        <TextInput
          isMono
          type="url"
          maxLength={2048}
          spellCheck={false}
          value={draft.url}
          onValue={(url) => change({ url })}
        />
      </Field>
      <Field label={HOOK_FORM.format}>
        <SelectInput
          value={draft.contentType}
          onValue={(type) => change({ contentType: type as HookDraft['contentType'] })}
          options={Object.entries(HOOK_FORM.formats).map(([value, label]) => ({ value, label }))}
        />
      </Field>
      <SecretFields hook={hook} draft={draft} isBad={isTried && isSecretBad} onChange={change} />
      <EventFields
        known={'org' in place ? { ...EVENT_NAMES, ...ORG_EVENT_NAMES } : EVENT_NAMES}
        draft={draft}
        isBad={isTried && isWithout}
        onChange={change}
      />
      <Checkbox
        label={HOOK_FORM.certificate}
        help={HOOK_FORM.certificateHelp}
        isChecked={draft.acceptsAny}
        onChange={(acceptsAny) => change({ acceptsAny })}
      />
      <Checkbox
        label={HOOK_FORM.on}
        help={HOOK_FORM.onHelp}
        isChecked={draft.isActive}
        onChange={(isActive) => change({ isActive })}
      />
    </FormDialog>
  );
}

interface DraftFieldsProps {
  draft: HookDraft;
  isBad: boolean;
  onChange: (patch: Partial<HookDraft>) => void;
}

function SecretFields(props: DraftFieldsProps & { hook: HostHook | undefined }) {
  const { hook, draft, isBad, onChange } = props;
  const modes = Object.entries(HOOK_FORM.secretModes).filter(
    ([mode]) => mode !== 'keep' || hook !== undefined,
  );
  return (
    <>
      <Field label={HOOK_FORM.secret} help={HOOK_FORM.secretHelp}>
        <SelectInput
          value={draft.secretMode}
          onValue={(mode) => onChange({ secretMode: mode as SecretMode, secret: '' })}
          options={modes.map(([value, label]) => ({ value, label }))}
        />
      </Field>
      {draft.secretMode === 'own' && (
        <Field label={HOOK_FORM.ownSecret} error={isBad && HOOK_FORM.ownSecretBad}>
          <TextInput
            isMono
            type="password"
            autoComplete="new-password"
            maxLength={1024}
            value={draft.secret}
            onValue={(secret) => onChange({ secret })}
          />
        </Field>
      )}
    </>
  );
}

function EventFields(props: DraftFieldsProps & { known: Readonly<Record<string, string>> }) {
  const { known, draft, isBad, onChange } = props;
  // One that another client asked for is kept, and can be left out.
  const names = [...new Set([...Object.keys(known), ...draft.events])];
  return (
    <>
      <RadioCards
        label={HOOK_FORM.which}
        value={draft.choice}
        options={(['push', 'all', 'some'] as const).map((value) => ({
          value,
          label: HOOK_FORM.choices[value],
          text: HOOK_FORM.choiceTexts[value],
        }))}
        onChange={(choice) => onChange({ choice })}
      />
      {draft.choice === 'some' && (
        <fieldset className="rset__form">
          <legend className="fld__l">{HOOK_FORM.chosen}</legend>
          <div className="rset__two">
            {names.map((name) => (
              <Checkbox
                key={name}
                label={Object.hasOwn(known, name) ? known[name]! : name}
                isChecked={draft.events.includes(name)}
                onChange={(isOn) =>
                  onChange({
                    events: isOn ? [...draft.events, name] : draft.events.filter((one) => one !== name),
                  })
                }
              />
            ))}
          </div>
          {isBad && <FieldError>{HOOK_FORM.noEvents}</FieldError>}
        </fieldset>
      )}
    </>
  );
}
