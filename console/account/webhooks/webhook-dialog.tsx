// Creates a webhook, or changes one. Its secret is made by the server and shown once, or typed and never shown.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { withoutSecrets } from '../../api/call.ts';
import type { FlagWebhook } from '../../api/types/signalbox.ts';
import { SecretOnce } from '../../lib/secret-once.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { hookBodyOf, hookDraftOf, HookForm, hookOperations, type HookDraft } from './hook-form.tsx';
import { statementsOf } from './policy-fields.tsx';
import { CHANGED, hookPatch, type PatchOperation } from './webhooks-queries.ts';
import { FORM } from './webhooks-words.ts';

type SecretMode = 'keep' | 'replace' | 'remove';

interface WebhookDraft extends HookDraft {
  url: string;
  isSigned: boolean;
  secretMode: SecretMode;
  secret: string;
}

const MIN_SECRET = 16;
const isUrl = (text: string) => /^https?:\/\/[^\s]+$/i.test(text);

function draftOf(hook: FlagWebhook | undefined): WebhookDraft {
  return {
    ...hookDraftOf(hook),
    url: hook?.url ?? '',
    isSigned: hook?.isSigned ?? true,
    secretMode: 'keep',
    secret: '',
  };
}

/** The operations that make the webhook as it was typed. */
function operationsOf(hook: FlagWebhook, draft: WebhookDraft): PatchOperation[] {
  const url = draft.url.trim();
  const changed: PatchOperation[] = [
    ...hookOperations(hook, draft),
    ...(url === hook.url ? [] : [{ op: 'add' as const, path: '/url', value: url }]),
  ];
  if (draft.secretMode === 'replace')
    return [...changed, { op: 'add', path: '/secret', value: draft.secret }];
  if (draft.secretMode === 'remove' && hook.isSigned) return [...changed, { op: 'remove', path: '/secret' }];
  return changed;
}

function callOf(hook: FlagWebhook | undefined, draft: WebhookDraft): Call {
  if (hook !== undefined) return hookPatch(hook, operationsOf(hook, draft), draft.secretMode === 'replace');
  const { statements = [], ...body } = hookBodyOf(draft);
  return {
    api: 'flags',
    method: 'POST',
    path: '/webhooks',
    body: { ...body, url: draft.url.trim(), sign: draft.isSigned, statements },
  };
}

export interface WebhookDialogProps {
  /** Absent to create one. */
  hook?: FlagWebhook;
  onClose: () => void;
  onSaved: (id: string) => void;
}

export function WebhookDialog({ hook, onClose, onSaved }: WebhookDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(hook));
  const [isTried, setTried] = useState(false);
  const [made, setMade] = useState<{ id: string; name: string; secret: string }>();
  const { run, isBusy, error } = useSecretCall<{ _id: string; secret?: string }>();
  const call = callOf(hook, draft);
  useSayDraft(made === undefined ? withoutSecrets(call) : undefined);
  const change = (patch: Partial<WebhookDraft>) => setDraft({ ...draft, ...patch });
  const isSecretBad = draft.secretMode === 'replace' && draft.secret.length < MIN_SECRET;
  const isBad = !isUrl(draft.url.trim()) || isSecretBad || statementsOf(draft.policy) === undefined;
  const submit = async () => {
    setTried(true);
    if (isBad) return;
    const reply = await run(call);
    if (reply === undefined) return;
    invalidateTopics(CHANGED);
    const { _id: id, secret } = reply.body;
    if (hook === undefined && secret !== undefined) setMade({ id, secret, name: draft.name || draft.url });
    else onSaved(id);
  };
  if (made !== undefined)
    return (
      <SecretOnce
        title={FORM.secretTitle(made.name)}
        label={FORM.secretLabel}
        secret={made.secret}
        onClose={() => onSaved(made.id)}
      />
    );
  const isSame = hook !== undefined && operationsOf(hook, draft).length === 0;
  return (
    <HookForm
      hook={hook}
      newTitle={FORM.newWebhook}
      draft={draft}
      onChange={change}
      isSame={isSame}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={FORM.name} optional>
        <TextInput value={draft.name} maxLength={256} onValue={(name) => change({ name })} />
      </Field>
      <Field label={FORM.url} help={FORM.urlHelp} error={isTried && !isUrl(draft.url.trim()) && FORM.urlBad}>
        <TextInput
          isMono
          type="url"
          maxLength={2048}
          spellCheck={false}
          value={draft.url}
          onValue={(url) => change({ url })}
        />
      </Field>
      {hook === undefined ? (
        <Checkbox
          label={FORM.sign}
          help={FORM.signHelp}
          isChecked={draft.isSigned}
          onChange={(isSigned) => change({ isSigned })}
        />
      ) : (
        <SecretFields draft={draft} isBad={isTried && isSecretBad} onChange={change} />
      )}
    </HookForm>
  );
}

interface SecretFieldsProps {
  draft: WebhookDraft;
  isBad: boolean;
  onChange: (patch: Partial<WebhookDraft>) => void;
}

function SecretFields({ draft, isBad, onChange }: SecretFieldsProps) {
  return (
    <>
      <Field label={FORM.secret}>
        <SelectInput
          value={draft.secretMode}
          onValue={(mode) => onChange({ secretMode: mode as SecretMode, secret: '' })}
          options={Object.entries(FORM.secretModes).map(([value, label]) => ({ value, label }))}
        />
      </Field>
      {draft.secretMode === 'replace' && (
        <Field label={FORM.newSecret} help={FORM.newSecretHelp} error={isBad && FORM.newSecretBad}>
          <TextInput
            isMono
            type="password"
            autoComplete="new-password"
            maxLength={256}
            value={draft.secret}
            onValue={(secret) => onChange({ secret })}
          />
        </Field>
      )}
    </>
  );
}
