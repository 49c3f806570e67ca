// Creates, changes and deletes configurations of Relay Proxies, and gives them new keys.
import { useState, type FormEvent } from 'react';
import { path, type Call } from '../../api/call.ts';
import { invalidateTopics, useChange } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { currentTime } from '../../lib/clock.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { checkPolicy, type PolicyStatement } from '../policy/policy.ts';
import { RELAY_CHANGED, RELAY_PATH, type RelayConfig } from './webhooks-queries.ts';
import { FORM, RELAY } from './webhooks-words.ts';

const EXAMPLE: PolicyStatement[] = [
  { effect: 'allow', actions: ['*'], resources: ['proj/default:env/production'] },
];
const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = '24';

export interface RelayDialogProps {
  /** Absent to create one. */
  config?: RelayConfig;
  onClose: () => void;
  /** Of a new one, with its whole key. */
  onMade: (config: RelayConfig) => void;
}

export function RelayDialog({ config, onClose, onMade }: RelayDialogProps) {
  const [name, setName] = useState(config?.name ?? '');
  const [text, setText] = useState(() => JSON.stringify(config?.policy ?? EXAMPLE, undefined, 2));
  const [isTried, setTried] = useState(false);
  const { run, isBusy, error } = useSecretCall<RelayConfig>();
  const check = checkPolicy(text);
  const policy = 'statements' in check ? check.statements : [];
  const call: Call =
    config === undefined
      ? { api: 'flags', method: 'POST', path: RELAY_PATH, body: { name: name.trim(), policy } }
      : {
          api: 'flags',
          method: 'PATCH',
          path: `${RELAY_PATH}/${encodeURIComponent(config._id)}`,
          body: [
            { op: 'replace', path: '/name', value: name.trim() },
            { op: 'replace', path: '/policy', value: policy },
          ],
        };
  useSayDraft(call);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() === '' || 'message' in check) return;
    const reply = await run(call);
    if (reply === undefined) return;
    invalidateTopics(RELAY_CHANGED);
    onMade(reply.body);
  };
  return (
    <Dialog
      title={config === undefined ? RELAY.newTitle : RELAY.editTitle(config.name)}
      width={560}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{FORM.cancel}</Button>
          <Button type="submit" form="relay-form" tone="primary" isBusy={isBusy}>
            {config === undefined ? FORM.create : FORM.save}
          </Button>
        </>
      }
    >
      <form id="relay-form" className="stack stack--16" noValidate onSubmit={(event) => void submit(event)}>
        <ChangeError error={error} />
        <Field label={RELAY.name} error={isTried && name.trim() === '' && RELAY.nameMissing}>
          <TextInput value={name} maxLength={256} onValue={setName} />
        </Field>
        <Field
          label={RELAY.policy}
          help={RELAY.policyHelp}
          error={'message' in check ? check.message : undefined}
        >
          <TextArea isMono rows={8} spellCheck={false} value={text} onValue={setText} />
        </Field>
      </form>
    </Dialog>
  );
}

interface RelayActProps {
  config: RelayConfig;
  onClose: () => void;
}

export function ResetRelayDialog({
  config,
  onClose,
  onMade,
}: RelayActProps & { onMade: (config: RelayConfig) => void }) {
  const [hours, setHours] = useState(DEFAULT_HOURS);
  const [opened] = useState(currentTime);
  const { run, isBusy, error } = useSecretCall<RelayConfig>();
  const callAt = (now: number): Call => ({
    api: 'flags',
    method: 'POST',
    path: path`/account/relay-auto-configs/${config._id}/reset`,
    query: { expiry: hours === '0' ? undefined : now + Number(hours) * HOUR_MS },
  });
  useSayDraft(callAt(opened));
  const submit = async () => {
    const reply = await run(callAt(currentTime()));
    if (reply === undefined) return;
    invalidateTopics(RELAY_CHANGED);
    onMade(reply.body);
  };
  return (
    <Dialog
      title={RELAY.resetTitle(config.name)}
      text={RELAY.resetText}
      width={520}
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus="" onClick={onClose}>
            {FORM.cancel}
          </Button>
          <Button tone="danger-fill" icon="redo" isBusy={isBusy} onClick={() => void submit()}>
            {RELAY.resetConfirm}
          </Button>
        </>
      }
    >
      <ChangeError error={error} />
      <Field label={RELAY.overlap}>
        <SelectInput value={hours} onValue={setHours} options={[...RELAY.overlaps]} />
      </Field>
    </Dialog>
  );
}

export function DeleteRelayDialog({ config, onClose }: RelayActProps) {
  const remove = useChange<string>(
    (id) => ({ api: 'flags', method: 'DELETE', path: path`/account/relay-auto-configs/${id}` }),
    RELAY_CHANGED,
  );
  return (
    <ConfirmDialog
      title={RELAY.deleteTitle(config.name)}
      tone="danger"
      confirmLabel={RELAY.deleteConfirm}
      typeToConfirm={config.name}
      isBusy={remove.isPending}
      error={remove.error ?? undefined}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(config._id, {
          onSuccess: () => {
            onClose();
            toast({ text: RELAY.deleted(config.name) });
          },
        })
      }
    >
      <p>{RELAY.deleteText}</p>
    </ConfirmDialog>
  );
}
