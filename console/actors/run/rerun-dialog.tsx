// A new run of the same Actor, with the input of this one to edit.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { withoutSecrets } from '../../api/call.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { words } from '../../ui/words.ts';
import { InputEditor } from '../input/input-editor.tsx';
import { useBuildSchema, type InputSchema } from '../input/input-schema.ts';
import { isTimeout, RunOptionsFields, type RunOptionsDraft } from '../input/run-options.tsx';
import { isInputObject, takeOutSecrets, type OpenInput } from '../input/secrets.ts';
import { StartError } from '../input/start-error.tsx';
import { inputErrorsOf, startCall, useInputErrors } from '../input/start-run.ts';
import { useInputDraft } from '../input/use-input.ts';
import { hrefOfRun, type RunDetail } from '../run.ts';
import { useRunInput } from './run-queries.ts';
import { RUN_WORDS } from './run-words.ts';

export interface RerunDialogProps {
  run: RunDetail;
  onClose: () => void;
}

const WIDTH = 760;

export function RerunDialog({ run, onClose }: RerunDialogProps) {
  const { data, error, isPending } = useRunInput(run);
  const { schema, isPending: isSchemaPending } = useBuildSchema(run.buildId);
  if ((isPending && error === null) || isSchemaPending)
    return (
      <Dialog title={RUN_WORDS.rerunDialog.title} width={WIDTH} onClose={onClose}>
        <Skeleton lines={8} />
      </Dialog>
    );
  const isReadable = data === undefined || isInputObject(data);
  const input = isInputObject(data) ? takeOutSecrets(data) : { value: {}, secrets: {} };
  return <RerunForm run={run} input={input} isReadable={isReadable} schema={schema} onClose={onClose} />;
}

interface RerunFormProps extends RerunDialogProps {
  input: OpenInput;
  /** Whether the input of the run is JSON. */
  isReadable: boolean;
  schema: InputSchema | undefined;
}

function RerunForm({ run, input, isReadable, schema, onClose }: RerunFormProps) {
  const { rerunDialog } = RUN_WORDS;
  const draft = useInputDraft(input, schema);
  const [options, setOptions] = useState<RunOptionsDraft>({
    build: run.options.build,
    memory: String(run.options.memoryMbytes),
    timeout: String(run.options.timeoutSecs),
  });
  const { run: start, isBusy, error } = useSecretCall<{ data: RunDetail }>();
  const [, navigate] = useLocation();
  const call = startCall(run.actId, draft, options);
  useSayDraft(withoutSecrets(call));
  const checked = useInputErrors(run.actId, options.build, draft);
  const errors = checked.size > 0 ? checked : inputErrorsOf(error);
  const submit = async () => {
    const reply = await start(call);
    if (reply === undefined) return;
    invalidateTopics(['run']);
    onClose();
    navigate(hrefOfRun(reply.body.data.id));
  };
  return (
    <Dialog
      title={rerunDialog.title}
      text={rerunDialog.text}
      width={WIDTH}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button
            tone="primary"
            icon="play"
            isBusy={isBusy}
            disabledReason={draft.problem ?? (isTimeout(options.timeout) ? undefined : RUN_WORDS.timeLimit)}
            onClick={() => void submit()}
          >
            {rerunDialog.confirm}
          </Button>
        </>
      }
    >
      {!isReadable && <Banner tone="warn">{rerunDialog.notJson}</Banner>}
      <StartError error={error} />
      <InputEditor draft={draft} schema={schema} errors={errors} />
      <RunOptionsFields value={options} onChange={setOptions} />
    </Dialog>
  );
}
