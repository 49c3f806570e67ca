// A new task of an Actor; its input is filled in on its page.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { withoutSecrets } from '../../api/call.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextInput } from '../../ui/input.tsx';
import { ActorChoice } from '../actor-choice.tsx';
import { createTaskCall, hrefOfTask, type NewTask, type TaskDetail } from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

export interface CreateTaskProps {
  /** The id of the Actor, where it is known already. */
  actorId?: string;
  /** What it begins with, as it was typed on the page of the Actor. */
  begun?: Pick<NewTask, 'input' | 'options'>;
  onClose: () => void;
}

export function CreateTask({ actorId, begun, onClose }: CreateTaskProps) {
  const { createDialog } = TASK_WORDS;
  const [actor, setActor] = useState(actorId ?? '');
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [isTried, setTried] = useState(false);
  const { run: create, isBusy, error } = useSecretCall<{ data: TaskDetail }>();
  const [, navigate] = useLocation();
  const task: NewTask = {
    actId: actor.trim(),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(title.trim() !== '' && { title: title.trim() }),
    ...begun,
  };
  // An input may have secrets in it.
  const call = { ...createTaskCall(task), ...(begun !== undefined && { secretFields: ['input'] }) };
  useSayDraft(withoutSecrets(call));
  const submit = () => {
    setTried(true);
    if (task.actId === '') return;
    void create(call).then((reply) => {
      if (reply === undefined) return;
      invalidateTopics(['actor-task']);
      navigate(hrefOfTask(reply.body.data.id));
    });
  };
  return (
    <FormDialog
      title={createDialog.title}
      text={createDialog.text}
      width={520}
      action={createDialog.confirm}
      isBusy={isBusy}
      error={error ?? null}
      onClose={onClose}
      onSubmit={submit}
    >
      {actorId === undefined && (
        <ActorChoice
          value={actor}
          error={isTried && task.actId === '' && createDialog.noActor}
          onChange={setActor}
        />
      )}
      <Field label={TASK_WORDS.name} help={TASK_WORDS.newNameHelp} optional>
        <TextInput
          isMono
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
          value={name}
          onValue={setName}
        />
      </Field>
      <Field label={TASK_WORDS.title} optional>
        <TextInput maxLength={200} value={title} onValue={setTitle} />
      </Field>
    </FormDialog>
  );
}
