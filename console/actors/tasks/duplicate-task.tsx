// A further task with the Actor, the input and the options of one. Encrypted secrets go along unseen.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSayDraft } from '../../app/draft-call.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextInput } from '../../ui/input.tsx';
import { takeOutSecrets } from '../input/secrets.ts';
import {
  createTaskCall,
  hrefOfTask,
  useCreateTask,
  useTask,
  type NewTask,
  type TaskDetail,
} from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

const MAX_NAME = 63;

export function DuplicateTask({ id, onClose }: { id: string; onClose: () => void }) {
  const { task } = useTask(id);
  return task === undefined ? null : <DuplicateForm task={task} onClose={onClose} />;
}

function copyOf(task: TaskDetail, name: string, title: string): NewTask {
  const { actId, description = null, options, input } = task;
  return { actId, name, title: title === '' ? null : title, description, options, input };
}

function DuplicateForm({ task, onClose }: { task: TaskDetail; onClose: () => void }) {
  const { duplicateDialog } = TASK_WORDS;
  const [name, setName] = useState(`${task.name.slice(0, MAX_NAME - 5)}-copy`);
  const [title, setTitle] = useState(task.title ?? '');
  const create = useCreateTask();
  const [, navigate] = useLocation();
  const copy = copyOf(task, name.trim(), title.trim());
  useSayDraft(createTaskCall({ ...copy, input: takeOutSecrets(task.input).value }));
  return (
    <FormDialog
      title={duplicateDialog.title(task.title || task.name)}
      text={duplicateDialog.text}
      width={520}
      action={duplicateDialog.confirm}
      isBusy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() => create.mutate(copy, { onSuccess: ({ data }) => navigate(hrefOfTask(data.id)) })}
    >
      <Field label={TASK_WORDS.name} help={TASK_WORDS.newNameHelp}>
        <TextInput isMono maxLength={MAX_NAME} spellCheck={false} value={name} onValue={setName} />
      </Field>
      <Field label={TASK_WORDS.title} optional>
        <TextInput maxLength={200} value={title} onValue={setTitle} />
      </Field>
    </FormDialog>
  );
}
