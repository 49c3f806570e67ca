// Creates a webhook of an Actor or a task, or changes one. Values of its headers are typed and never shown.
import { useState } from 'react';
import { withoutSecrets, type Call } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Checkbox } from '../../ui/choice.tsx';
import { Field, FieldError } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import {
  ACTOR_HOOKS_CHANGED,
  actorHookPatch,
  scopeOf,
  useTargets,
  type ActorHookDetail,
  type ScopeName,
} from './actor-hook-queries.ts';
import { ACTOR_HOOK_FORM as FORM } from './actor-hook-words.ts';

type HeaderMode = 'keep' | 'replace' | 'remove';

interface HookDraft {
  scope: ScopeName;
  target: string;
  eventTypes: string[];
  url: string;
  description: string;
  payload: string;
  isInterpolated: boolean;
  headerMode: HeaderMode;
  headers: string;
  anyCertificate: boolean;
  noRetries: boolean;
  isOn: boolean;
}

const EVENTS = Object.keys(FORM.names) as (keyof typeof FORM.names)[];
const isUrl = (text: string) => /^https?:\/\/[^\s]+$/i.test(text);
const orNull = (text: string) => (text.trim() === '' ? null : text);

function draftOf(hook: ActorHookDetail | undefined): HookDraft {
  const { scope, id } = hook === undefined ? { scope: 'actorId' as const, id: '' } : scopeOf(hook.condition);
  return {
    scope,
    target: id,
    eventTypes: hook?.eventTypes ?? ['ACTOR.RUN.FAILED', 'ACTOR.RUN.TIMED_OUT'],
    url: hook?.requestUrl ?? '',
    description: hook?.description ?? '',
    payload: hook?.payloadTemplate ?? '',
    isInterpolated: hook?.shouldInterpolateStrings ?? false,
    headerMode: hook?.headersTemplate ? 'keep' : hook === undefined ? 'replace' : 'remove',
    headers: '',
    anyCertificate: hook?.ignoreSslErrors ?? false,
    noRetries: hook?.doNotRetry ?? false,
    isOn: hook?.isEnabled ?? true,
  };
}

/** A task has runs alone. */
function eventTypesOf({ scope, eventTypes }: HookDraft): string[] {
  return scope === 'actorTaskId' ? eventTypes.filter((type) => !type.startsWith('ACTOR.BUILD.')) : eventTypes;
}

function callOf(hook: ActorHookDetail | undefined, draft: HookDraft): Call {
  const body = {
    eventTypes: eventTypesOf(draft),
    requestUrl: draft.url.trim(),
    description: orNull(draft.description),
    payloadTemplate: orNull(draft.payload),
    shouldInterpolateStrings: draft.isInterpolated,
    ignoreSslErrors: draft.anyCertificate,
    doNotRetry: draft.noRetries,
    isEnabled: draft.isOn,
    // A run that it listens to stays.
    ...(draft.scope !== 'actorRunId' && { condition: { [draft.scope]: draft.target } }),
    ...(draft.headerMode === 'replace' && { headersTemplate: orNull(draft.headers) }),
    ...(draft.headerMode === 'remove' && { headersTemplate: null }),
  };
  const secretFields = ['headersTemplate'];
  if (hook !== undefined) return { ...actorHookPatch(hook.id, body), secretFields };
  return { api: 'actors', method: 'POST', path: '/webhooks', body, secretFields };
}

export interface ActorHookDialogProps {
  /** Absent to create one. */
  hook?: ActorHookDetail;
  onClose: () => void;
  onSaved: (id: string) => void;
}

export function ActorHookDialog({ hook, onClose, onSaved }: ActorHookDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(hook));
  const [isTried, setTried] = useState(false);
  const { run, isBusy, error } = useSecretCall<{ data: { id: string } }>();
  const call = callOf(hook, draft);
  useSayDraft(withoutSecrets(call));
  const change = (patch: Partial<HookDraft>) => setDraft((present) => ({ ...present, ...patch }));
  const isBad = !isUrl(draft.url.trim()) || draft.target === '' || eventTypesOf(draft).length === 0;
  const isSame = hook !== undefined && JSON.stringify(draft) === JSON.stringify(draftOf(hook));
  const submit = async () => {
    setTried(true);
    if (isBad) return;
    const reply = await run(call);
    if (reply === undefined) return;
    invalidateTopics(ACTOR_HOOKS_CHANGED);
    onSaved(reply.body.data.id);
  };
  return (
    <FormDialog
      title={hook === undefined ? FORM.create : FORM.edit}
      width={600}
      action={hook === undefined ? FORM.createIt : FORM.save}
      disabledReason={isSame ? FORM.nothingChanged : undefined}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <ScopeFields draft={draft} isTried={isTried} onChange={change} />
      <EventFields draft={draft} isTried={isTried} onChange={change} />
      <Field label={FORM.url} help={FORM.urlHelp} error={isTried && !isUrl(draft.url.trim()) && FORM.urlBad}>
        <TextInput
          isMono
          type="url"
          maxLength={4096}
          spellCheck={false}
          value={draft.url}
          onValue={(url) => change({ url })}
        />
      </Field>
      <Field label={FORM.description} optional>
        <TextInput
          maxLength={10_000}
          value={draft.description}
          onValue={(description) => change({ description })}
        />
      </Field>
      <PayloadFields draft={draft} isNew={hook === undefined} onChange={change} />
      <Checkbox
        label={FORM.noRetries}
        isChecked={draft.noRetries}
        onChange={(noRetries) => change({ noRetries })}
      />
      <Checkbox
        label={FORM.anyCertificate}
        isChecked={draft.anyCertificate}
        onChange={(anyCertificate) => change({ anyCertificate })}
      />
      <Checkbox
        label={FORM.on}
        help={FORM.onHelp}
        isChecked={draft.isOn}
        onChange={(isOn) => change({ isOn })}
      />
    </FormDialog>
  );
}

interface PartProps {
  draft: HookDraft;
  isTried: boolean;
  onChange: (patch: Partial<HookDraft>) => void;
}

function ScopeFields({ draft, isTried, onChange }: PartProps) {
  const targets = useTargets(draft.scope);
  if (draft.scope === 'actorRunId')
    return (
      <Field label={FORM.scope} help={FORM.runScope}>
        <TextInput isMono readOnly value={draft.target} />
      </Field>
    );
  const isKnown = draft.target === '' || targets.some(({ id }) => id === draft.target);
  return (
    <>
      <Field label={FORM.scope}>
        <SelectInput
          value={draft.scope}
          onValue={(scope) => onChange({ scope: scope as ScopeName, target: '' })}
          options={(['actorId', 'actorTaskId'] as const).map((value) => ({
            value,
            label: FORM.scopes[value],
          }))}
        />
      </Field>
      <Field
        label={draft.scope === 'actorId' ? FORM.actor : FORM.task}
        error={isTried && draft.target === '' && FORM.targetMissing}
      >
        <SelectInput
          value={draft.target}
          onValue={(target) => onChange({ target })}
          options={[
            { value: '', label: FORM.choose },
            ...(isKnown ? [] : [{ value: draft.target, label: draft.target }]),
            ...targets.map(({ id, title, name }) => ({ value: id, label: title || name })),
          ]}
        />
      </Field>
    </>
  );
}

function EventFields({ draft, isTried, onChange }: PartProps) {
  const groups = [
    [FORM.runs, EVENTS.filter((type) => type.startsWith('ACTOR.RUN.'))],
    ...(draft.scope === 'actorId'
      ? [[FORM.builds, EVENTS.filter((type) => type.startsWith('ACTOR.BUILD.'))] as const]
      : []),
  ] as const;
  const set = (type: string, isOn: boolean) =>
    onChange({
      eventTypes: isOn ? [...draft.eventTypes, type] : draft.eventTypes.filter((one) => one !== type),
    });
  return (
    <>
      {groups.map(([label, types]) => (
        <fieldset key={label}>
          <legend className="fld__l">{`${FORM.events}: ${label.toLowerCase()}`}</legend>
          <div className="row row--wrap">
            {types.map((type) => (
              <Checkbox
                key={type}
                label={FORM.names[type]}
                isChecked={draft.eventTypes.includes(type)}
                onChange={(isOn) => set(type, isOn)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      {isTried && eventTypesOf(draft).length === 0 && <FieldError>{FORM.eventsMissing}</FieldError>}
    </>
  );
}

const USUAL_PAYLOAD = `{
  "userId": {{userId}},
  "createdAt": {{createdAt}},
  "eventType": {{eventType}},
  "eventData": {{eventData}},
  "resource": {{resource}}
}`;

function PayloadFields({ draft, isNew, onChange }: Omit<PartProps, 'isTried'> & { isNew: boolean }) {
  return (
    <>
      <Field label={FORM.payload} help={FORM.payloadHelp} optional>
        <TextArea
          isMono
          className="hook-template"
          rows={7}
          maxLength={32_768}
          spellCheck={false}
          placeholder={USUAL_PAYLOAD}
          value={draft.payload}
          onValue={(payload) => onChange({ payload })}
        />
      </Field>
      <Checkbox
        label={FORM.interpolate}
        help={FORM.interpolateHelp}
        isChecked={draft.isInterpolated}
        onChange={(isInterpolated) => onChange({ isInterpolated })}
      />
      {!isNew && (
        <Field label={FORM.headers}>
          <SelectInput
            value={draft.headerMode}
            onValue={(mode) => onChange({ headerMode: mode as HeaderMode, headers: '' })}
            options={Object.entries(FORM.headerModes).map(([value, label]) => ({ value, label }))}
          />
        </Field>
      )}
      {draft.headerMode === 'replace' && (
        <Field label={FORM.headersTemplate} help={FORM.headersHelp} optional={isNew}>
          <TextArea
            isMono
            className="hook-template"
            rows={3}
            maxLength={16_384}
            spellCheck={false}
            autoComplete="off"
            value={draft.headers}
            onValue={(headers) => onChange({ headers })}
          />
        </Field>
      )}
    </>
  );
}
