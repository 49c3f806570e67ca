// Triggers of a flag in one environment: addresses that change it when they are called. Each is shown once.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { invalidateTopics, useChange } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { SecretOnce } from '../../lib/secret-once.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { useFlagPermissions } from '../permissions.ts';
import type { Environment } from '../queries.ts';
import { GuardedDialog } from './guarded-dialog.tsx';
import { triggerPatch, triggersPath, useTriggers, type FlagPlace, type Trigger } from './settings-queries.ts';
import { SETTINGS_WORDS, TRIGGER_WORDS as WORDS } from './settings-words.ts';
import type { EnvironmentCardProps } from './tracking-card.tsx';

const CHANGED = ['flag'];
const KEY = /^[a-zA-Z0-9][\w.-]{0,255}$/;
type TriggerAction = keyof typeof WORDS.actions;

type TriggerAct = { kind: 'new' } | { kind: 'reset' | 'delete' | 'enable'; trigger: Trigger };

export function TriggersCard({ project, flag, environment }: EnvironmentCardProps) {
  const place: FlagPlace = { project, flag: flag.key, environment: environment.key };
  const { data, error, refetch } = useTriggers(place);
  const { may } = useFlagPermissions(project, flag.key, environment.key);
  const [act, setAct] = useState<TriggerAct>();
  const [url, setUrl] = useState<string>();
  const change = useChange<Call>((call) => call, CHANGED);
  const close = () => {
    setAct(undefined);
    change.reset();
  };
  const run = (call: Call) => change.mutate(call, { onSuccess: close });
  const show = ({ triggerURL }: Trigger) => {
    setAct(undefined);
    setUrl(triggerURL);
  };
  return (
    <Card
      title={WORDS.title(environment.key)}
      icon="bolt"
      actions={
        may('createTriggers') && (
          <Button
            size="sm"
            icon="plus"
            disabledReason={flag.archived ? SETTINGS_WORDS.archived : undefined}
            onClick={() => setAct({ kind: 'new' })}
          >
            {SETTINGS_WORDS.add}
          </Button>
        )
      }
    >
      <p className="t13 muted">{WORDS.text}</p>
      {act === undefined && <ChangeError error={change.error} />}
      {data === undefined && error === null && <Skeleton lines={2} />}
      {data === undefined && error !== null && (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
      {data?.items.length === 0 && <p className="muted t13">{WORDS.none}</p>}
      <ul className="set-rows">
        {data?.items.map((trigger) => (
          <TriggerRow
            key={trigger._id}
            trigger={trigger}
            mayUpdate={may('updateTriggers')}
            mayDelete={may('deleteTriggers')}
            onAct={setAct}
            onDisable={() => run(triggerPatch(place, trigger._id, 'disableTrigger'))}
          />
        ))}
      </ul>
      {act?.kind === 'new' && (
        <NewTrigger place={place} environment={environment} onClose={close} onMade={show} />
      )}
      {act?.kind === 'reset' && (
        <ResetTrigger
          place={place}
          environment={environment}
          trigger={act.trigger}
          onClose={close}
          onMade={show}
        />
      )}
      {act?.kind === 'enable' && (
        <GuardedDialog
          environment={environment}
          title={WORDS.enable}
          text={actionText(act.trigger)}
          confirmLabel={WORDS.enable}
          isBusy={change.isPending}
          error={change.error}
          onClose={close}
          onConfirm={() => run(triggerPatch(place, act.trigger._id, 'enableTrigger'))}
        />
      )}
      {act?.kind === 'delete' && (
        <GuardedDialog
          environment={environment}
          title={WORDS.deleteTitle}
          text={WORDS.deleteText}
          confirmLabel={WORDS.deleteConfirm}
          isDanger
          isBusy={change.isPending}
          error={change.error}
          onClose={close}
          onConfirm={() =>
            run({
              api: 'flags',
              method: 'DELETE',
              path: `${triggersPath(place)}/${encodeURIComponent(act.trigger._id)}`,
            })
          }
        />
      )}
      {url !== undefined && (
        <SecretOnce
          title={WORDS.urlTitle}
          label={WORDS.urlLabel}
          secret={url}
          onClose={() => setUrl(undefined)}
        />
      )}
    </Card>
  );
}

function actionText({ instructions }: Trigger): string {
  const [first] = instructions;
  if (instructions.length !== 1 || first === undefined) return WORDS.otherAction(instructions.length);
  return first.kind in WORDS.actions ? WORDS.actions[first.kind as TriggerAction] : first.kind;
}

interface TriggerRowProps {
  trigger: Trigger;
  mayUpdate: boolean;
  mayDelete: boolean;
  onAct: (act: TriggerAct) => void;
  onDisable: () => void;
}

function TriggerRow({ trigger, mayUpdate, mayDelete, onAct, onDisable }: TriggerRowProps) {
  const { _integrationKey: service, enabled, _triggerCount: count, _lastTriggeredAt: last } = trigger;
  return (
    <li>
      <span className="grow two">
        <b>{actionText(trigger)}</b>
        <small>
          <code>{service}</code> · {count === 0 ? WORDS.neverFired : WORDS.fired(count)}
          {last !== undefined && (
            <>
              , {WORDS.last} <Time at={last} />
            </>
          )}
        </small>
      </span>
      {!enabled && <Badge tone="warn">{WORDS.disabled}</Badge>}
      {(mayUpdate || mayDelete) && (
        <Menu
          trigger={<Button tone="ghost" size="sm" icon="dots" label={WORDS.actionsOf} />}
          items={[
            ...(mayUpdate
              ? [
                  enabled
                    ? { label: WORDS.disable, icon: 'stop' as const, onSelect: onDisable }
                    : {
                        label: WORDS.enable,
                        icon: 'play' as const,
                        onSelect: () => onAct({ kind: 'enable', trigger }),
                      },
                  {
                    label: WORDS.reset,
                    icon: 'redo' as const,
                    onSelect: () => onAct({ kind: 'reset', trigger }),
                  },
                ]
              : []),
            ...(mayDelete
              ? [
                  {
                    label: WORDS.delete,
                    icon: 'trash' as const,
                    tone: 'danger' as const,
                    hasLine: mayUpdate,
                    onSelect: () => onAct({ kind: 'delete', trigger }),
                  },
                ]
              : []),
          ]}
        />
      )}
    </li>
  );
}

interface TriggerDialogProps {
  place: FlagPlace;
  environment: Environment;
  onClose: () => void;
  /** With its address, which is shown once. */
  onMade: (trigger: Trigger) => void;
}

function NewTrigger({ place, environment, onClose, onMade }: TriggerDialogProps) {
  const [action, setAction] = useState<TriggerAction>('turnFlagOff');
  const [service, setService] = useState('generic-trigger');
  const { run, isBusy, error } = useSecretCall<Trigger>();
  const callWith = (comment: string): Call => ({
    api: 'flags',
    method: 'POST',
    path: triggersPath(place),
    body: {
      integrationKey: service.trim(),
      instructions: [{ kind: action }],
      ...(comment !== '' && { comment }),
    },
  });
  useSayDraft(callWith(''));
  const submit = async (comment: string) => {
    const reply = await run(callWith(comment));
    if (reply === undefined) return;
    invalidateTopics(CHANGED);
    onMade(reply.body);
  };
  return (
    <GuardedDialog
      environment={environment}
      title={WORDS.addTitle(environment.name)}
      confirmLabel={WORDS.create}
      hasComment
      disabledReason={KEY.test(service.trim()) ? undefined : WORDS.serviceBad}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onConfirm={(comment) => void submit(comment)}
    >
      <Field label={WORDS.action}>
        <SelectInput
          value={action}
          onValue={(kind) => setAction(kind as TriggerAction)}
          options={Object.entries(WORDS.actions).map(([value, label]) => ({ value, label }))}
        />
      </Field>
      <Field
        label={WORDS.service}
        help={WORDS.serviceHelp}
        error={!KEY.test(service.trim()) && WORDS.serviceBad}
      >
        <TextInput isMono maxLength={256} value={service} onValue={setService} />
      </Field>
    </GuardedDialog>
  );
}

function ResetTrigger({
  place,
  environment,
  trigger,
  onClose,
  onMade,
}: TriggerDialogProps & { trigger: Trigger }) {
  const { run, isBusy, error } = useSecretCall<Trigger>();
  const call = triggerPatch(place, trigger._id, 'cycleTriggerUrl');
  useSayDraft(call);
  const submit = async () => {
    const reply = await run(call);
    if (reply === undefined) return;
    invalidateTopics(CHANGED);
    onMade(reply.body);
  };
  return (
    <GuardedDialog
      environment={environment}
      title={WORDS.resetTitle}
      text={WORDS.resetText}
      confirmLabel={WORDS.resetConfirm}
      isDanger
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onConfirm={() => void submit()}
    />
  );
}
