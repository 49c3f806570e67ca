// What a task is called, and its end.
import '../../styles/actors.css';
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { DeleteTask } from './delete-task.tsx';
import { changeTaskCall, useChangeTask, type TaskDetail } from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

interface NamesDraft {
  name: string;
  title: string;
  description: string;
}

const draftOf = ({ name, title, description }: TaskDetail): NamesDraft => ({
  name,
  title: title ?? '',
  description: description ?? '',
});

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

export function TaskSettings({ task, onDeleted }: { task: TaskDetail; onDeleted: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(task));
  const [isDeleting, setDeleting] = useState(false);
  const save = useChangeTask(task.id);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(task));
  const change = (patch: Partial<NamesDraft>) => setDraft((present) => ({ ...present, ...patch }));
  const body = {
    name: draft.name.trim(),
    title: orNull(draft.title),
    description: orNull(draft.description),
  };
  useSayDraft(isChanged ? changeTaskCall(task.id, body) : undefined);
  return (
    <div className="stack stack--24 actor-narrow">
      <Card
        title={TASK_WORDS.general}
        footer={
          <Button
            tone="primary"
            isBusy={save.isPending}
            disabledReason={isChanged ? undefined : TASK_WORDS.unchanged}
            onClick={() =>
              save.mutate(body, { onSuccess: () => toast({ text: TASK_WORDS.saved, tone: 'ok' }) })
            }
          >
            {TASK_WORDS.save}
          </Button>
        }
      >
        <div className="stack">
          <ChangeError error={save.error} />
          <Field label={TASK_WORDS.title} optional>
            <TextInput maxLength={200} value={draft.title} onValue={(title) => change({ title })} />
          </Field>
          <Field label={TASK_WORDS.name} help={TASK_WORDS.nameHelp}>
            <TextInput
              isMono
              maxLength={63}
              spellCheck={false}
              value={draft.name}
              onValue={(name) => change({ name })}
            />
          </Field>
          <Field label={TASK_WORDS.description} optional>
            <TextArea
              rows={3}
              maxLength={10_000}
              value={draft.description}
              onValue={(description) => change({ description })}
            />
          </Field>
        </div>
      </Card>
      <Card title={TASK_WORDS.danger}>
        <div className="stack">
          <p className="t13 muted">{TASK_WORDS.dangerText}</p>
          <div>
            <Button tone="danger" icon="trash" onClick={() => setDeleting(true)}>
              {TASK_WORDS.remove}
            </Button>
          </div>
        </div>
      </Card>
      {isDeleting && <DeleteTask task={task} onClose={() => setDeleting(false)} onDeleted={onDeleted} />}
    </div>
  );
}
