// Starts a run of the Actor: its input as a form or JSON, and its options. What is typed stays in this browser until it is started.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { path, withoutSecrets } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';

import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useKeys } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { InputEditor } from '../input/input-editor.tsx';
import { firstValue, useBuildSchema, type InputSchema } from '../input/input-schema.ts';
import { useKeeping, useKeptInput } from '../input/kept-input.ts';
import { isInputObject, takeOutSecrets, type OpenInput } from '../input/secrets.ts';
import { CreateTask } from '../tasks/create-task.tsx';
import { isTimeout, RunOptionsFields, type RunOptionsDraft } from '../input/run-options.tsx';
import { StartError } from '../input/start-error.tsx';
import { inputErrorsOf, startCall, useInputErrors } from '../input/start-run.ts';
import { useInputDraft } from '../input/use-input.ts';
import { INPUT_WORDS } from '../input/input-words.ts';
import { hrefOfActor } from '../queries.ts';
import { hrefOfRun, type RunDetail } from '../run.ts';
import type { ActorDetail } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';

export function RunTab({ actor }: { actor: ActorDetail }) {
  const { build } = actor.defaultRunOptions;
  const tagged = actor.taggedBuilds[build] ?? Object.values(actor.taggedBuilds)[0];
  const { schema, isPending } = useBuildSchema(tagged?.buildId);
  // How often it was filled in anew, and with what.
  const [{ round, input }, setFilled] = useState<{ round: number; input?: OpenInput }>({ round: 0 });
  if (tagged === undefined)
    return (
      <EmptyState
        icon="actor"
        title={ACTOR_WORDS.noBuild}
        action={<ButtonLink href={hrefOfActor(actor, 'builds')}>{ACTOR_WORDS.toBuilds}</ButtonLink>}
      />
    );
  if (isPending) return <Skeleton lines={8} />;
  const fill = (next?: OpenInput) => setFilled({ round: round + 1, ...(next && { input: next }) });
  return <StartForm key={round} actor={actor} schema={schema} loaded={input} onFill={fill} />;
}

interface StartFormProps {
  actor: ActorDetail;
  schema: InputSchema | undefined;
  /** Of an earlier run. */
  loaded: OpenInput | undefined;
  onFill: (input?: OpenInput) => void;
}

function StartForm({ actor, schema, loaded, onFill }: StartFormProps) {
  const kept = useKeptInput(`input:${actor.id}`);
  const [first] = useState(() => loaded ?? { value: kept.value ?? firstValue(schema), secrets: {} });
  const draft = useInputDraft(first, schema);
  const [isSaving, setSaving] = useState(false);
  const { defaultRunOptions } = actor;
  const [options, setOptions] = useState<RunOptionsDraft>({
    build: defaultRunOptions.build,
    memory: String(defaultRunOptions.memoryMbytes),
    timeout: String(defaultRunOptions.timeoutSecs),
  });
  const { run: start, isBusy, error } = useSecretCall<{ data: RunDetail }>();
  const [, navigate] = useLocation();
  useKeeping(draft, kept);
  const call = startCall(actor.id, draft, options);
  useSayDraft(withoutSecrets(call));
  const checked = useInputErrors(actor.id, options.build, draft);
  const errors = checked.size > 0 ? checked : inputErrorsOf(error);
  const reason = draft.problem ?? (isTimeout(options.timeout) ? undefined : INPUT_WORDS.wrongTimeout);
  const submit = async () => {
    if (isBusy || reason !== undefined) return;
    const reply = await start(call);
    if (reply === undefined) return;
    kept.forget();
    invalidateTopics(['run']);
    navigate(hrefOfRun(reply.body.data.id));
  };
  useKeys({ r: () => void submit() });
  return (
    <div className="cols">
      <Card title={ACTOR_WORDS.input}>
        <div className="stack">
          <StartError error={error} />
          <InputEditor draft={draft} schema={schema} errors={errors} />
        </div>
      </Card>
      <Card
        title={ACTOR_WORDS.options}
        footer={
          <>
            <Button
              tone="primary"
              icon="play"
              keys="r"
              isBusy={isBusy}
              disabledReason={reason}
              onClick={() => void submit()}
            >
              {ACTOR_WORDS.start}
            </Button>
            <Menu
              trigger={<Button tone="ghost" icon="dots" label={ACTOR_WORDS.more} />}
              items={[
                { label: ACTOR_WORDS.saveAsTask, icon: 'plus', onSelect: () => setSaving(true) },
                {
                  label: ACTOR_WORDS.fromLastRun,
                  icon: 'history',
                  onSelect: () => void loadLastInput(actor.id).then((input) => input && onFill(input)),
                },
                {
                  label: ACTOR_WORDS.reset,
                  icon: 'redo',
                  hasLine: true,
                  onSelect: () => {
                    kept.forget();
                    onFill();
                  },
                },
              ]}
            />
          </>
        }
      >
        <RunOptionsFields value={options} onChange={setOptions} />
      </Card>
      {isSaving && (
        <CreateTask
          actorId={actor.id}
          begun={{
            input: draft.body,
            options: {
              build: options.build.trim(),
              memoryMbytes: Number(options.memory),
              timeoutSecs: Number(options.timeout),
            },
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}

/** Secrets come as they are stored: they can be sent again, and are not shown. */
async function loadLastInput(actorId: string): Promise<OpenInput | undefined> {
  try {
    const { body } = await send<unknown>({
      api: 'actors',
      path: path`/actors/${actorId}/runs/last/key-value-store/records/INPUT`,
    });
    if (isInputObject(body)) return takeOutSecrets(body);
    toast({ text: ACTOR_WORDS.noLastInput, tone: 'bad' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast({ text: error.status === 404 ? ACTOR_WORDS.noLastInput : error.message, tone: 'bad' });
  }
  return undefined;
}
