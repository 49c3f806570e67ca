// The saved input and options of a task, to change and to run. What is typed stays in this browser until it is saved.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { withoutSecrets, type Call } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useKeys } from '../../ui/keys.ts';
import { toast } from '../../ui/toast-store.ts';
import type { ActorDetail } from '../actor/actor-queries.ts';
import { InputEditor } from '../input/input-editor.tsx';
import type { InputSchema } from '../input/input-schema.ts';
import { useKeeping, useKeptInput } from '../input/kept-input.ts';
import { ownDraftOf, OwnOptionsFields, ownOptionsOf, ownOptionsProblem } from '../input/own-options.tsx';
import { takeOutSecrets } from '../input/secrets.ts';
import { StartError } from '../input/start-error.tsx';
import { inputErrorsOf, useInputErrors } from '../input/start-run.ts';
import { useInputDraft, type InputDraft } from '../input/use-input.ts';
import { hrefOfRun, type RunDetail } from '../run.ts';
import { changeTaskCall, runTaskCall, type TaskDetail } from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

export interface TaskInputProps {
  task: TaskDetail;
  actor: ActorDetail | undefined;
  schema: InputSchema | undefined;
}

/** Filled in anew after it was saved or given up. */
export function TaskInput(props: TaskInputProps) {
  const [round, setRound] = useState(0);
  return (
    <TaskForm key={`${round} ${props.task.modifiedAt}`} {...props} onReset={() => setRound(round + 1)} />
  );
}

function TaskForm({ task, actor, schema, onReset }: TaskInputProps & { onReset: () => void }) {
  const kept = useKeptInput(`task:${task.id}`);
  const [first] = useState(() => {
    const saved = takeOutSecrets(task.input);
    return { isKept: kept.value !== undefined, open: { ...saved, value: kept.value ?? saved.value } };
  });
  const draft = useInputDraft(first.open, schema);
  useKeeping(draft, kept);
  const saved = ownDraftOf(task.options);
  const [options, setOptions] = useState(saved);
  const hasOptions = JSON.stringify(options) !== JSON.stringify(saved);
  const isChanged = draft.isChanged || first.isKept || hasOptions;
  const { run, isBusy, error } = useSecretCall<{ data: RunDetail }>();
  const [, navigate] = useLocation();
  const call = saveCall(task.id, draft, ownOptionsOf(options));
  useSayDraft(isChanged ? withoutSecretInput(call, draft) : runTaskCall(task.id));
  const checked = useInputErrors(task.actId, options.build, draft);
  const errors = checked.size > 0 ? checked : inputErrorsOf(error);
  const reason = draft.problem ?? ownOptionsProblem(options);
  const save = async (): Promise<boolean> => {
    const reply = await run(call);
    if (reply === undefined) return false;
    kept.forget();
    invalidateTopics(['actor-task']);
    return true;
  };
  const saveOnly = async () => {
    if (await save()) {
      toast({ text: TASK_WORDS.saved, tone: 'ok' });
      onReset();
    }
  };
  const start = async () => {
    if (isBusy || reason !== undefined) return;
    if (isChanged && !(await save())) return;
    const reply = await run(runTaskCall(task.id));
    if (reply === undefined) return;
    invalidateTopics(['run', 'actor-task']);
    navigate(hrefOfRun(reply.body.data.id));
  };
  const discard = () => {
    kept.forget();
    onReset();
  };
  useKeys({ r: () => void start() });
  return (
    <div className="cols">
      <Card title={TASK_WORDS.input}>
        <div className="stack">
          {first.isKept && <Banner tone="neutral">{TASK_WORDS.keptNote}</Banner>}
          <StartError error={error} />
          <InputEditor draft={draft} schema={schema} errors={errors} />
        </div>
      </Card>
      <Card
        title={TASK_WORDS.options}
        footer={
          <>
            <Button
              tone="primary"
              icon="play"
              keys="r"
              isBusy={isBusy}
              disabledReason={reason}
              onClick={() => void start()}
            >
              {isChanged ? TASK_WORDS.saveAndRun : TASK_WORDS.run}
            </Button>
            <Button
              isBusy={isBusy}
              disabledReason={reason ?? (isChanged ? undefined : TASK_WORDS.unchanged)}
              onClick={() => void saveOnly()}
            >
              {TASK_WORDS.save}
            </Button>
            {isChanged && (
              <Button tone="ghost" onClick={discard}>
                {TASK_WORDS.discard}
              </Button>
            )}
          </>
        }
      >
        <OwnOptionsFields value={options} defaults={actor?.defaultRunOptions} onChange={setOptions} />
      </Card>
    </div>
  );
}

function saveCall(id: string, draft: InputDraft, options: ReturnType<typeof ownOptionsOf>): Call {
  return { ...changeTaskCall(id, { input: draft.body, options }), secretFields: ['input'] };
}

/** The input is shown with its secrets hidden, the rest as it is. */
function withoutSecretInput(call: Call, { body, secretFields }: InputDraft): Call {
  const { secretFields: _, ...rest } = call;
  const input = withoutSecrets({ ...rest, body, secretFields }).body;
  return { ...rest, body: { ...(call.body as object), input } };
}
