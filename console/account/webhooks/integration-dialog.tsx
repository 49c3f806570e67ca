// Creates an audit-log subscription of an integration, or changes one. What is secret is typed and never shown.
import { useState } from 'react';
import { path, withoutSecrets, type Call } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import type { FlagWebhook } from '../../api/types/signalbox.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { hookBodyOf, hookDraftOf, HookForm, hookOperations, type HookDraft } from './hook-form.tsx';
import { statementsOf } from './policy-fields.tsx';
import {
  CHANGED,
  hookPatch,
  useIntegrationKinds,
  type IntegrationField,
  type PatchOperation,
} from './webhooks-queries.ts';
import { FORM } from './webhooks-words.ts';

type Values = Readonly<Record<string, string | boolean>>;

interface IntegrationDraft extends HookDraft {
  integration: string;
  /** What was typed; settings that were not touched are absent. */
  values: Values;
}

const isSecret = ({ kind }: IntegrationField) => kind === 'secret' || kind === 'secret address';

function draftOf(hook: FlagWebhook | undefined): IntegrationDraft {
  return {
    ...hookDraftOf(hook),
    integration: hook?.integration ?? '',
    values: {},
  };
}

/** What is empty stays as it is, or as it usually is. */
function typedValues({ values }: IntegrationDraft): [string, string | boolean][] {
  return Object.entries(values).filter(([, value]) => value !== '');
}

function operationsOf(hook: FlagWebhook, draft: IntegrationDraft): PatchOperation[] {
  const config = typedValues(draft)
    .filter(([name, value]) => hook.config?.[name] !== value)
    .map(([name, value]): PatchOperation => ({ op: 'add', path: `/config/${name}`, value }));
  return [...hookOperations(hook, draft), ...config];
}

function callOf(hook: FlagWebhook | undefined, draft: IntegrationDraft): Call {
  if (hook !== undefined) {
    const operations = operationsOf(hook, draft);
    return hookPatch(
      hook,
      operations,
      operations.some((one) => one.path.startsWith('/config/')),
    );
  }
  const { statements = [], ...body } = hookBodyOf(draft);
  return {
    api: 'flags',
    method: 'POST',
    path: path`/integrations/${draft.integration}`,
    body: { ...body, config: Object.fromEntries(typedValues(draft)), statements },
    secretFields: ['config'],
  };
}

export interface IntegrationDialogProps {
  /** Absent to create one. */
  hook?: FlagWebhook;
  onClose: () => void;
  onSaved: (id: string) => void;
}

export function IntegrationDialog({ hook, onClose, onSaved }: IntegrationDialogProps) {
  const { data } = useIntegrationKinds();
  const [draft, setDraft] = useState(() => draftOf(hook));
  const [isTried, setTried] = useState(false);
  const { run, isBusy, error } = useSecretCall<{ _id: string }>();
  const kinds = data?.items ?? [];
  const integration = draft.integration || (kinds[0]?.key ?? '');
  const fields = kinds.find(({ key }) => key === integration)?.fields ?? [];
  const whole = { ...draft, integration };
  const call = callOf(hook, whole);
  useSayDraft(withoutSecrets(call));
  const change = (patch: Partial<IntegrationDraft>) => setDraft({ ...draft, ...patch });
  const isMissing = (field: IntegrationField) =>
    hook === undefined && !field.isOptional && field.kind !== 'switch' && !draft.values[field.name];
  const isBad =
    draft.name.trim() === '' || fields.some(isMissing) || statementsOf(draft.policy) === undefined;
  const submit = async () => {
    setTried(true);
    if (isBad) return;
    const reply = await run(call);
    if (reply === undefined) return;
    invalidateTopics(CHANGED);
    onSaved(reply.body._id);
  };
  const isSame = hook !== undefined && operationsOf(hook, whole).length === 0;
  return (
    <HookForm
      hook={hook}
      newTitle={FORM.newIntegration}
      draft={draft}
      onChange={change}
      isSame={isSame}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {hook === undefined && (
        <Field label={FORM.integration}>
          <SelectInput
            value={integration}
            onValue={(key) => change({ integration: key, values: {} })}
            options={kinds.map(({ key }) => ({ value: key, label: key }))}
          />
        </Field>
      )}
      <Field label={FORM.name} error={isTried && draft.name.trim() === '' && FORM.nameMissing}>
        <TextInput value={draft.name} maxLength={256} onValue={(name) => change({ name })} />
      </Field>
      {fields.map((field) => (
        <SettingField
          key={`${integration} ${field.name}`}
          field={field}
          isEditing={hook !== undefined}
          value={draft.values[field.name] ?? hook?.config?.[field.name] ?? ''}
          error={isTried && isMissing(field) ? FORM.valueMissing : undefined}
          onChange={(value) => change({ values: { ...draft.values, [field.name]: value } })}
        />
      ))}
    </HookForm>
  );
}

interface SettingFieldProps {
  field: IntegrationField;
  isEditing: boolean;
  value: string | boolean;
  error: string | undefined;
  onChange: (value: string | boolean) => void;
}

function SettingField({ field, isEditing, value, error, onChange }: SettingFieldProps) {
  const { name, kind, isOptional, default: usual, among } = field;
  if (kind === 'switch') return <Checkbox label={name} isChecked={value === true} onChange={onChange} />;
  const text = typeof value === 'string' ? value : '';
  return (
    <Field
      label={name}
      optional={isOptional}
      help={isEditing && isSecret(field) ? FORM.secretKept : undefined}
      error={error}
    >
      {among === undefined ? (
        <TextInput
          isMono
          type={isSecret(field) ? 'password' : 'text'}
          autoComplete={isSecret(field) ? 'new-password' : 'off'}
          spellCheck={false}
          placeholder={usual}
          value={text}
          onValue={onChange}
        />
      ) : (
        <SelectInput
          value={text === '' ? (usual ?? '') : text}
          onValue={onChange}
          options={[
            ...(usual === undefined ? [{ value: '', label: '' }] : []),
            ...among.map((one) => ({ value: one, label: one })),
          ]}
        />
      )}
    </Field>
  );
}
