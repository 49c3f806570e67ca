// A new task of an Actor; its input is filled in on its page.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextInput } from '../../ui/input.tsx';
import { ActorChoice } from '../actor-choice.tsx';
import { createTaskCall, hrefOfTask, useCreateTask, type NewTask } from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

export interface CreateTaskProps {
  /** The id of the Actor, where it is known already. */
  actorId?: string;
  onClose: () => void;
}

export function CreateTask({ actorId, onClose }: CreateTaskProps) {
  const { createDialog } = TASK_WORDS;
  const [actor, setActor] = useState(actorId ?? '');
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [isTried, setTried] = useState(false);
  const create = useCreateTask();
  const [, navigate] = useLocation();
  const task: NewTask = {
    actId: actor.trim(),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(title.trim() !== '' && { title: title.trim() }),
  };
  useSayDraft(createTaskCall(task));
  const submit = () => {
    setTried(true);
    if (task.actId === '') return;
    create.mutate(task, { onSuccess: ({ data }) => navigate(hrefOfTask(data.id)) });
  };
  return (
    <FormDialog
      title={createDialog.title}
      text={createDialog.text}
      width={520}
      action={createDialog.confirm}
      isBusy={create.isPending}
      error={create.error}
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
