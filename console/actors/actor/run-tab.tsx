// Starts a run of the Actor: its input as a form or JSON, and its options. What is typed stays in this browser until it is started.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { withoutSecrets } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useKeys } from '../../ui/keys.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { InputEditor } from '../input/input-editor.tsx';
import { firstValue, useBuildSchema, type InputSchema } from '../input/input-schema.ts';
import { useKeeping, useKeptInput } from '../input/kept-input.ts';
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
  // How often it was filled in anew.
  const [round, setRound] = useState(0);
  if (tagged === undefined)
    return (
      <EmptyState
        icon="actor"
        title={ACTOR_WORDS.noBuild}
        action={<ButtonLink href={hrefOfActor(actor, 'builds')}>{ACTOR_WORDS.toBuilds}</ButtonLink>}
      />
    );
  if (isPending) return <Skeleton lines={8} />;
  return <StartForm key={round} actor={actor} schema={schema} onReset={() => setRound(round + 1)} />;
}

interface StartFormProps {
  actor: ActorDetail;
  schema: InputSchema | undefined;
  onReset: () => void;
}

function StartForm({ actor, schema, onReset }: StartFormProps) {
  const kept = useKeptInput(`input:${actor.id}`);
  const [first] = useState(() => kept.value ?? firstValue(schema));
  const draft = useInputDraft({ value: first, secrets: {} }, schema);
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
            <Button
              tone="ghost"
              onClick={() => {
                kept.forget();
                onReset();
              }}
            >
              {ACTOR_WORDS.reset}
            </Button>
          </>
        }
      >
        <RunOptionsFields value={options} onChange={setOptions} />
      </Card>
    </div>
  );
}
