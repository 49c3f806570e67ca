// The settings of an Actor: what it is called, with which options its runs begin, and its end.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { path, type Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { isTimeout, RunOptionsFields } from '../input/run-options.tsx';
import { INPUT_WORDS } from '../input/input-words.ts';
import { hrefOfActor } from '../queries.ts';
import type { ActorDetail } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';

interface SettingsDraft {
  name: string;
  title: string;
  description: string;
  build: string;
  memory: string;
  timeout: string;
  restartOnError: boolean;
}

function draftOf({ name, title, description, defaultRunOptions }: ActorDetail): SettingsDraft {
  return {
    name,
    title: title ?? '',
    description: description ?? '',
    build: defaultRunOptions.build,
    memory: String(defaultRunOptions.memoryMbytes),
    timeout: String(defaultRunOptions.timeoutSecs),
    restartOnError: defaultRunOptions.restartOnError,
  };
}

function saveCall(id: string, draft: SettingsDraft): Call {
  const { name, title, description, build, memory, timeout, restartOnError } = draft;
  return {
    api: 'actors',
    method: 'PUT',
    path: path`/actors/${id}`,
    body: {
      name: name.trim(),
      title: title.trim() === '' ? null : title.trim(),
      description: description.trim() === '' ? null : description.trim(),
      defaultRunOptions: {
        build: build.trim(),
        memoryMbytes: Number(memory),
        timeoutSecs: Number(timeout),
        restartOnError,
      },
    },
  };
}

export function SettingsTab({ actor }: { actor: ActorDetail }) {
  const [draft, setDraft] = useState(() => draftOf(actor));
  const save = useChange<void, { data: ActorDetail }>(() => saveCall(actor.id, draft), ['actor']);
  const [, navigate] = useLocation();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(actor));
  useSayDraft(isChanged ? saveCall(actor.id, draft) : undefined);
  const change = (patch: Partial<SettingsDraft>) => setDraft((present) => ({ ...present, ...patch }));
  const reason = !isChanged
    ? ACTOR_WORDS.unchanged
    : isTimeout(draft.timeout)
      ? undefined
      : INPUT_WORDS.wrongTimeout;
  const submit = () =>
    save.mutate(undefined, {
      onSuccess: ({ data }) => {
        toast({ text: ACTOR_WORDS.settingsSaved, tone: 'ok' });
        // Its name is a part of the address.
        if (data.name !== actor.name) navigate(hrefOfActor(data, 'settings'));
      },
    });
  return (
    <div className="stack stack--24 actor-narrow">
      {save.error !== null && <Banner tone="bad">{save.error.message}</Banner>}
      <Card title={ACTOR_WORDS.general}>
        <div className="stack">
          <Field label={ACTOR_WORDS.title} optional>
            <TextInput maxLength={200} value={draft.title} onValue={(title) => change({ title })} />
          </Field>
          <Field label={ACTOR_WORDS.name} help={ACTOR_WORDS.nameHelp}>
            <TextInput isMono maxLength={63} value={draft.name} onValue={(name) => change({ name })} />
          </Field>
          <Field label={ACTOR_WORDS.description} optional>
            <TextArea
              rows={3}
              maxLength={10_000}
              value={draft.description}
              onValue={(description) => change({ description })}
            />
          </Field>
        </div>
      </Card>
      <Card title={ACTOR_WORDS.defaults}>
        <div className="stack">
          <p className="t13 muted">{ACTOR_WORDS.defaultsHelp}</p>
          <RunOptionsFields value={draft} onChange={change} />
          <Checkbox
            label={ACTOR_WORDS.restartOnError}
            help={ACTOR_WORDS.restartHelp}
            isChecked={draft.restartOnError}
            onChange={(restartOnError) => change({ restartOnError })}
          />
        </div>
      </Card>
      <div className="row">
        <Button tone="primary" isBusy={save.isPending} disabledReason={reason} onClick={submit}>
          {ACTOR_WORDS.save}
        </Button>
        {isChanged && (
          <Button tone="ghost" onClick={() => setDraft(draftOf(actor))}>
            {ACTOR_WORDS.discard}
          </Button>
        )}
      </div>
      <DeleteActor actor={actor} />
    </div>
  );
}

function DeleteActor({ actor }: { actor: ActorDetail }) {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const remove = useChange<void>(
    () => ({ api: 'actors', method: 'DELETE', path: path`/actors/${actor.id}` }),
    ['actor', 'run'],
  );
  const { removeDialog } = ACTOR_WORDS;
  const { totalRuns, totalBuilds } = actor.stats;
  return (
    <Card title={ACTOR_WORDS.danger}>
      <div className="stack">
        <p className="t13 muted">{ACTOR_WORDS.dangerText}</p>
        <div>
          <Button tone="danger" icon="trash" onClick={() => setOpen(true)}>
            {ACTOR_WORDS.remove}
          </Button>
        </div>
      </div>
      {isOpen && (
        <ConfirmDialog
          title={removeDialog.title(actor.title || actor.name)}
          tone="danger"
          confirmLabel={removeDialog.confirm}
          typeToConfirm={actor.name}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onClose={() => setOpen(false)}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => navigate('/actors') })}
        >
          <p>{removeDialog.text}</p>
          <ul className="actor-parts">
            {removeDialog
              .parts(formatCount(totalRuns), formatCount(totalBuilds), formatCount(actor.versions.length))
              .map((part) => (
                <li key={part}>{part}</li>
              ))}
          </ul>
          <p>{removeDialog.kept}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
